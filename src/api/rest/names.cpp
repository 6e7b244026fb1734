#include "api/rest/names.hpp"

#include <algorithm>

#include "os/random.hpp"

namespace lazaret::rest {

std::string new_id() { return os::random_hex(32); }

bool is_request_id(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(kAllowed) == text.npos;
}

}  // namespace lazaret::rest
