#include "api/cli/files_watch.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "api/cli/app.hpp"
#include "api/cli/errand.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"

namespace lazaret::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostOfAnEvent = 64UL << 10;

// A server-sent event as the daemon writes them: a name, and one line of data.
struct ServerEvent {
  std::string name;
  ordered_json data;
};

std::string field_of(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos || (at > 0 && text[at - 1] != '\n')) return {};
  const std::string_view rest = text.substr(at + name.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

/// The events of an answer, one after the other.
class Reading {
 public:
  Reading(Errand& errand, http::Exchange answer) : errand_(errand), answer_(std::move(answer)) {}

  // Nothing at its end. Comments keep it alive.
  Result<std::optional<ServerEvent>> next() {
    for (;;) {
      const std::size_t end = text_.find("\n\n");
      if (end == text_.npos) {
        LAZARET_TRY(const std::string more, errand_.more_of(answer_));
        if (more.empty()) return std::optional<ServerEvent>();
        text_ += more;
        if (text_.size() > kMostOfAnEvent + more.size())
          return Error(Errc::protocol, "the daemon says more than an event is");
        continue;
      }
      const std::string one = text_.substr(0, end + 1);
      text_.erase(0, end + 2);
      if (one.starts_with(':')) continue;
      ServerEvent event{field_of(one, "event: "),
                        ordered_json::parse(field_of(one, "data: "), nullptr, false)};
      if (event.name.empty() || !event.data.is_object())
        return Error(Errc::protocol, "the daemon says something that is no event");
      return std::optional(std::move(event));
    }
  }

 private:
  Errand& errand_;
  http::Exchange answer_;
  std::string text_;
};

// Names are what a program has called files.
Status show(const Common& common, const ServerEvent& event) {
  if (common.json) {
    ordered_json line = {{"event", event.name}};
    line.update(event.data);
    std::printf("%s\n",
                line.dump(-1, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else {
    std::string text = event.data.value("path", std::string());
    if (text.empty()) text = "some changes";
    if (event.data.value("directory", false)) text += "/";
    if (event.data.contains("target")) text += " -> " + event.data.value("target", std::string());
    std::printf("%-8s %s\n", event.name.c_str(), printable(text, '?').c_str());
  }
  if (std::fflush(stdout) == 0) return {};
  return Error(Errc::system, "standard output cannot be written to");
}

Status show_all(const Common& common, Reading& reading) {
  for (;;) {
    LAZARET_TRY(const auto event, reading.next());
    if (!event) return Error(Errc::connection_lost, "the daemon has ended");
    if (event->name == "ended") return Error(Errc::conflict, text_in(event->data, "detail"));
    if (event->name != "begun" || common.json) LAZARET_CHECK(show(common, *event));
    if (event->name == "begun" && !common.quiet && !common.json) note("watching");
  }
}

}  // namespace

int watch_files(const Common& common, const std::string& target) {
  Errand errand;
  auto answer = errand.open({"GET", target});
  if (!answer.ok()) return errand.fail(answer.error());
  Reading reading(errand, std::move(*answer));
  return errand.fail(show_all(common, reading).error());
}

}  // namespace lazaret::cli
