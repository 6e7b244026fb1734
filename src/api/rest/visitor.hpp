#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/rest/answer.hpp"
#include "api/rest/channel.hpp"
#include "api/rest/query.hpp"
#include "api/rest/runs.hpp"

namespace lazaret::rest {

/// Server-sent events (HTML, 9.2), which are kept alive by comments.
inline constexpr std::string_view kEventType = "text/event-stream";

/// One request, read within its bounds: whole, or up to a body that its route takes as it comes.
struct Request {
  std::string id;  ///< the client's X-Request-Id, or one of ours
  std::string method;
  std::string path;
  Parameters query = {};                               ///< what its query says
  std::map<std::string, std::string> parameters = {};  ///< by their names in the route's path
  std::string accept;
  bool takes_chunks = false;  ///< HTTP/1.0 knows none
  std::string version;        ///< Lazaret-Version: only this one will do
  std::string configuration;  ///< Lazaret-Configuration: only this core::fingerprint will do
  std::string content_type;
  std::string body;
  std::shared_ptr<Channel> upload = {};  ///< instead of a body; shared with who takes it
};

/// Who has sent a request and waits for its answer. On the loop's thread only.
class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;

  [[nodiscard]] virtual const Request& request() const = 0;
  /// Once for each request; nothing happens when the client has gone.
  virtual void answer(Answer answer) = 0;
  /// Instead of an answer: the run's events, until its result. A client that goes away ends it.
  virtual void stream(std::shared_ptr<Run> run) = 0;
  /// Instead of an answer, from the first piece on: what is sent through the channel, shared with
  /// who sends it. One that fails after that ends without its end, and the connection with it.
  [[nodiscard]] virtual std::shared_ptr<Channel> download(std::string type) = 0;
  /// Instead of an answer: a WebSocket.
  virtual void upgrade() = 0;
  /// Whether nobody would hear an answer.
  [[nodiscard]] virtual bool has_left() const = 0;
  /// Called if the client goes away before it is answered.
  virtual void when_gone(std::function<void()> gone) = 0;

  void refuse(const Problem& problem) { answer(answer_of(problem, request().id)); }
};

// Shared by the connection and by whatever works on its answer.
using VisitorPointer = std::shared_ptr<Visitor>;

}  // namespace lazaret::rest
