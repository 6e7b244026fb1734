#pragma once

#include <string>
#include <string_view>

#include "engine/client.hpp"
#include "lazaret/error.hpp"

namespace lazaret::engine {

/// What the engine says went wrong: the message of Docker's or Podman's JSON, plain text, or the
/// text of an HTML page; valid UTF-8 without control characters, at most 1 KiB.
[[nodiscard]] std::string failure_text(std::string_view body);
/// Foreign text made fit for one line of a message.
[[nodiscard]] std::string one_line(std::string_view text);
/// The Error that an answer with a status of 400 and above means.
[[nodiscard]] Error failure_of(const http::Response& response, Subject subject);

}  // namespace lazaret::engine
