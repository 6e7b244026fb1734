#include "api/rest/watch_route.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/rest/aside.hpp"
#include "api/rest/events.hpp"
#include "api/rest/order.hpp"

namespace lazaret::rest {
namespace {

using nlohmann::ordered_json;

std::string event_of(std::string_view name, const ordered_json& data) {
  return event_text(name, data.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

std::string event_of(const FileChange& change) {
  ordered_json data = ordered_json::object();
  if (change.kind != FileChange::Kind::begun)
    data = {{"path", change.path}, {"directory", change.is_directory}};
  if (!change.target.empty()) data["target"] = change.target;
  return event_of(name_of(change.kind), data);
}

/// Who watches for a client until that one leaves or the session ends.
class Post {
 public:
  Post(std::shared_ptr<Channel> channel, const std::stop_token& client)
      : channel_(std::move(channel)), left_(client, Leave{*this}) {}

  // The error of one who could not begin is the answer, any other the last event.
  [[nodiscard]] Result<std::string> watch(core::Session& session, const std::string& path) {
    const Status ended = session.watch(
        path, [this](const FileChange& change) { tell(event_of(change)); }, end_.get_token());
    if (!ended.ok() && has_told_)
      tell(event_of("ended", {{"detail", ended.error().message()}}));
    if (ended.ok() || has_told_)
      channel_->end();
    else
      channel_->fail(ended.error());
    return ended.ok() || has_told_ ? Result<std::string>(std::string()) : ended.error();
  }

 private:
  struct Leave {
    Post& post;
    void operator()() const {
      post.channel_->fail({Errc::connection_lost, "the client has gone"});
      post.end_.request_stop();
    }
  };

  // Of a client who takes nothing the connection sees to the end.
  void tell(std::string text) {
    const Call call{Deadline::never(), end_.get_token()};
    const bool told = channel_->send(std::move(text), call).ok();
    has_told_ = has_told_ || told;
    if (!told) end_.request_stop();
  }

  std::shared_ptr<Channel> channel_;
  std::stop_source end_;
  bool has_told_ = false;
  std::stop_callback<Leave> left_;
};

}  // namespace

void watch_files(Desk& desk, const VisitorPointer& visitor) {
  const Request& request = visitor->request();
  if (!request.takes_chunks)
    return visitor->refuse({426, "upgrade_required", "events come in chunks: HTTP/1.1"});
  auto found = session_of(desk, request.parameters.at("id"));
  if (const auto* const problem = std::get_if<Problem>(&found)) return visitor->refuse(*problem);
  const auto named = request.query.find("path");
  const std::string path = named == request.query.end() ? "." : named->second;
  const auto channel = visitor->download(std::string(kEventType));
  auto watch = [kept = std::get<std::shared_ptr<KeptSession>>(std::move(found)), path,
                channel](const Call& call) {
    return Post(channel, call.stop).watch(*kept->session, path);
  };
  do_aside(desk, visitor, by(desk.posts), std::move(watch),
           [](const VisitorPointer&, const std::string&) {});
}

}  // namespace lazaret::rest
