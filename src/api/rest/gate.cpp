#include "api/rest/gate.hpp"

#include "base/sha256.hpp"
#include "base/try.hpp"
#include "os/listen.hpp"
#include "os/secret_file.hpp"
#include "os/user.hpp"

namespace lazaret::rest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastLetters = 16;
constexpr std::size_t kMostLetters = 4096;
constexpr std::size_t kMostBlanks = 64;  // behind it

// Takes as long for every token: digests have one length, and every byte is looked at.
bool is_same(const Sha256::Digest& a, const Sha256::Digest& b) {
  volatile unsigned difference = 0;
  for (std::size_t at = 0; at < a.size(); ++at)
    difference = difference | std::to_integer<unsigned>(a[at] ^ b[at]);
  return difference == 0;
}

Gate gate_for_token(const std::string& token) {
  return [expected = sha256(bytes_of("Bearer " + token))](
             std::string_view authorization) -> std::optional<Problem> {
    if (is_same(sha256(bytes_of(authorization)), expected)) return std::nullopt;
    Problem problem{401, "unauthorized", "a bearer token is needed, and this is not it"};
    problem.challenge = "Bearer";
    return problem;
  };
}

Gate closed_gate() {
  return [](std::string_view) {
    return Problem{403, "other_user", "this socket serves its own user only"};
  };
}

Result<std::string> token_in(const fs::path& file) {
  LAZARET_TRY(std::string text, os::read_secret(file, kMostLetters + kMostBlanks));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

}  // namespace

Gate gate_for(os::RawHandle stream, const std::optional<std::string>& token) {
  const auto peer = os::peer_user(stream);
  if (peer && (*peer == os::user_id() || *peer == 0)) {
    return [](std::string_view) { return std::optional<Problem>(); };
  }
  return token && !peer ? gate_for_token(*token) : closed_gate();
}

Result<std::optional<std::string>> find_token(const std::optional<fs::path>& file) {
  std::optional<std::string> token = os::variable("LAZARET_TOKEN");
  if (file) {
    LAZARET_TRY(token, token_in(*file));
  }
  const bool fits = !token || (token->size() >= kLeastLetters && token->size() <= kMostLetters);
  if (!fits) return Error(Errc::invalid_argument, "a token has 16 to 4096 letters");
  return token;
}

}  // namespace lazaret::rest
