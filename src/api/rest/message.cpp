#include "api/rest/message.hpp"

#include <utility>

namespace lazaret::rest {

namespace http = boost::beast::http;

Message message_of(Answer answer, Farewell farewell) {
  Message message(http::int_to_status(answer.status), 11);
  message.set(http::field::server, "lazaret/" LAZARET_VERSION);
  for (const auto& [name, value] : answer.headers) message.set(name, value);
  if (answer.status != 204) {
    message.set(http::field::content_type, answer.type);
    message.body() = std::move(answer.body);
    message.prepare_payload();
  }
  message.keep_alive(farewell == Farewell::keep);
  return message;
}

}  // namespace lazaret::rest
