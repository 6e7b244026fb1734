#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "api/rest/answer.hpp"

namespace lazaret::rest {

using Message = boost::beast::http::response<boost::beast::http::string_body>;
/// Whether the connection goes on after the answer.
enum class Farewell { keep, close };

/// An answer as HTTP has it.
[[nodiscard]] Message message_of(Answer answer, Farewell farewell);

}  // namespace lazaret::rest
