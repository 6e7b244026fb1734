#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret::engine {

/// Builds a request target. Everything that is put in is percent-encoded (RFC 3986); what must not
/// be in a target (an empty id, "..", a slash in an id) makes build() fail.
class Target {
 public:
  /// A fixed first segment, e.g. "containers".
  explicit Target(std::string_view word);

  /// A fixed segment of ours.
  [[nodiscard]] Target word(std::string_view text) &&;
  /// An id or a name that came from outside: one segment.
  [[nodiscard]] Target id(std::string_view text) &&;
  /// An image reference: its slashes separate segments.
  [[nodiscard]] Target reference(std::string_view text) &&;
  [[nodiscard]] Target query(std::string_view name, std::string_view value) &&;
  /// Leaves the parameter out when the value is empty.
  [[nodiscard]] Target query_if(std::string_view name, std::string_view value) &&;

  /// "/v1.41/containers/…?…"; without a version the prefix is left out.
  /// Errors: invalid_argument.
  [[nodiscard]] Result<std::string> build(std::string_view version) const;

 private:
  void segment(std::string_view text);
  void refuse(std::string_view why, std::string_view text);

  std::string path_;
  std::string query_;
  std::optional<Error> error_;
};

[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace lazaret::engine
