#include "api/rest/talk.hpp"

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/rest/order.hpp"
#include "base/utf8.hpp"
#include "core/artifact_json.hpp"
#include "core/cause.hpp"
#include "core/terminal_json.hpp"

namespace lazaret::rest {
namespace {

using nlohmann::ordered_json;

constexpr char kContent = '\3';

// 0 for what names none.
int signal_of(const nlohmann::json& name) {
  return name.is_string() ? core::signal_number(name.get_ref<const std::string&>()) : 0;
}

std::string event(const char* name, const char* member, const std::string& json) {
  return std::string(R"({"event":")") + name + R"(",")" + member + "\":" + json + "}";
}

std::string piece_of(const Artifact* begun, std::string_view bytes) {
  if (begun != nullptr) return event("artifact", "artifact", core::head_json(*begun).dump());
  return kContent + std::string(bytes);
}

}  // namespace

void Talk::hear(const std::string& message, Kind kind) {
  if (over_ || complaint_) return;
  if (!run_)
    return kind == Kind::text
               ? begin(message)
               : complain({400, "bad_request", "the first message asks for a run, as a text"});
  if (kind == Kind::text) return control(message);
  if (!input_) return complain({400, "bad_request", "stream_stdin was not asked for"});
  if (message.empty()) return input_->end();
  if (!input_->put(message)) complain({413, "too_large", "more was typed than the program reads"});
}

void Talk::begin(const std::string& message) {
  auto order = order_of(message);
  if (!order.ok()) return complain({400, "bad_request", order.error().message()});
  if (order->tie == Tie::detached)
    return complain({400, "bad_request", "what is streamed cannot be detached"});
  if (order->input == InputKind::streamed) {
    const bool typed = order->request.terminal.has_value();
    input_ = std::make_shared<Input>(typed ? Input::Of::terminal : Input::Of::stream);
    order->request.stdin_source = [input = input_](const std::stop_token& stop) {
      return input->take(stop);
    };
  }
  if (order->streams_artifacts) open_artifacts(order->request);
  auto run = admit(desk_, std::move(*order), Output::streamed);
  if (const auto* const problem = std::get_if<Problem>(&run)) return complain(*problem);
  run_ = std::get<std::shared_ptr<Run>>(std::move(run));
  run_->changed = [this] { changed_(); };
  events_.emplace(run_);
  if (artifacts_) {
    cut_.emplace(run_->stop.get_token(), [channel = artifacts_] {
      channel->fail(Error(Errc::cancelled, "the run was cancelled"));
    });
  }
}

// The worker waits for the client, who has to take a piece in time (Bounds::write).
void Talk::open_artifacts(ExecutionRequest& request) {
  wake_ = std::make_shared<std::function<void()>>([this] { changed_(); });
  artifacts_ = std::make_shared<Channel>([&loop = desk_.loop, wake = std::weak_ptr(wake_)] {
    boost::asio::post(loop, [wake] {
      if (const auto changed = wake.lock()) (*changed)();
    });
  });
  request.on_artifact = [channel = artifacts_](const Artifact* begun, std::string_view bytes) {
    return channel->send(piece_of(begun, bytes), Call{}).ok();
  };
}

void Talk::control(const std::string& message) {
  const auto object = nlohmann::json::parse(message, nullptr, false);
  if (!object.is_object() || object.size() != 1)
    return complain({400, "bad_request", "this is no signal, no size and no cancel"});
  // WHY no copies: those of nested values recurse as deeply as the client likes.
  const auto member = object.begin();
  if (member.key() == "cancel" && *member == true) {
    desk_.runs.cancel(run_);
    return;
  }
  if (member.key() == "resize") return resize(*member);
  const int number = member.key() == "signal" ? signal_of(*member) : 0;
  if (number == 0) return complain({400, "bad_request", "no signal is called so"});
  if (!run_->signal) return;
  // Like the kernel's, a signal is lost where too many wait already.
  (void)desk_.signals.submit([signal = run_->signal, number] { signal(number); });
}

void Talk::resize(const nlohmann::json& wanted) {
  const auto size = core::terminal_of(wanted);
  if (!size.ok()) return complain({400, "bad_request", size.error().message()});
  size_ = *size;
  tell_size();
}

// Before the program has begun, and where too many signals wait, the newest size waits too.
void Talk::tell_size() {
  if (!size_ || !run_ || !run_->resize) return;
  if (desk_.signals.submit([resize = run_->resize, size = *size_] { resize(size); })) size_.reset();
}

void Talk::complain(const Problem& problem) {
  if (!complaint_) complaint_ = event("problem", "problem", answer_of(problem, request_id_).body);
}

std::optional<Talk::Message> Talk::next() {
  tell_size();
  if (complaint_) {
    if (std::exchange(over_, true)) return std::nullopt;
    return Message{Kind::text, *complaint_};
  }
  if (!events_) return std::nullopt;
  if (const auto id = events_->start())
    return Message{Kind::text, event("run", "run_id", ordered_json(*id).dump())};
  if (const auto what = events_->progress())
    return Message{Kind::text, event("progress", "progress", ordered_json(to_utf8(*what)).dump())};
  if (auto output = events_->output()) {
    const char stream = output->stream == Stream::standard_output ? '\1' : '\2';
    return Message{Kind::binary, stream + output->bytes};
  }
  if (auto piece = artifacts_ ? artifacts_->next() : std::nullopt) {
    const Kind kind = piece->front() == kContent ? Kind::binary : Kind::text;
    return Message{kind, std::move(*piece)};
  }
  const auto result = events_->result();
  if (!result) return std::nullopt;
  over_ = true;
  return Message{Kind::text, event("result", "result", *result)};
}

void Talk::leave() {
  if (!run_) return;
  run_->changed = nullptr;
  desk_.runs.cancel(run_);
}

}  // namespace lazaret::rest
