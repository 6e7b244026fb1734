#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

/// Called with each object of a stream; an error ends the stream and is passed on.
using JsonSink = std::function<Status(const nlohmann::json& object)>;

/// Cuts a stream of JSON objects, one on each line (also RFC 7464), from pieces of any size. A line
/// above 1 MiB is too_large; one that is not an object is a protocol error.
class JsonLines {
 public:
  explicit JsonLines(JsonSink sink);
  [[nodiscard]] Status feed(Bytes piece);
  /// The stream has ended: takes a last line that has no end.
  [[nodiscard]] Status finish();

 private:
  [[nodiscard]] Status take_line();

  JsonSink sink_;
  std::string line_;
};

}  // namespace lazaret::engine
