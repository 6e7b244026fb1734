#include "api/rest/session_routes.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/rest/aside.hpp"
#include "api/rest/order.hpp"
#include "api/rest/query.hpp"
#include "base/try.hpp"
#include "core/report_json.hpp"
#include "core/request_json.hpp"
#include "core/session_json.hpp"

namespace lazaret::rest {
namespace {

using nlohmann::ordered_json;
using KeptPointer = std::shared_ptr<KeptSession>;

std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::int64_t seconds_left(const core::Session& session) {
  const auto left = session.expires_at() - core::Session::Clock::now();
  return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(left).count());
}

ordered_json outline_of(const KeptSession& kept) {
  const core::Session& session = *kept.session;
  const SessionState state = session.state();
  const auto age = std::chrono::system_clock::now() - kept.made;
  ordered_json json = {{"session_id", kept.id},
                       {"state", name_of(state)},
                       {"busy", kept.lane->busy()},
                       {"language", session.spec().language},
                       {"backend", session.backend().name()},
                       {"runtime", session.backend().runtime()},
                       {"age_s", std::chrono::duration_cast<std::chrono::seconds>(age).count()}};
  if (state == SessionState::ready) json["expires_in_s"] = seconds_left(session);
  return json;
}

std::string whole_of(const KeptSession& kept) {
  ordered_json json = outline_of(kept);
  if (const auto& fallback = kept.session->fallback())
    json["fallback"] = {{"wanted", fallback->wanted}, {"reason", fallback->reason}};
  json["disk_bytes"] = kept.session->spec().limits.disk_bytes;
  json["evidence"] = core::json_of(kept.session->evidence());
  return text_of(json);
}

Result<SessionRequest> session_order_of(const std::string& body) {
  auto object = nlohmann::json::parse(body.empty() ? "{}" : body, nullptr, false);
  if (!object.is_object())
    return Error(Errc::invalid_argument, "the body is not a JSON object in UTF-8");
  return core::session_request_of(std::move(object));
}

// What a put brings: an object whose only member is `files`.
Result<std::vector<Input>> files_of(const std::string& body) {
  const auto object = nlohmann::json::parse(body, nullptr, false);
  if (!object.is_object() || object.size() != 1 || !object.contains("files"))
    return Error(Errc::invalid_argument, R"(the body is not {"files": […]})");
  LAZARET_TRY(ExecutionRequest request, core::request_of(object));
  return std::move(request.inputs);
}

Result<bool> yes_or_no(const Parameters& parameters, const char* name, bool otherwise) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return bool{otherwise};
  if (found->second == "true" || found->second == "false") return found->second == "true";
  return Error(Errc::invalid_argument, std::string(name) + " is true or false");
}

// What a get is for, which is no archive.
Result<core::Session::Wish> wish_of(Parameters parameters) {
  core::Session::Wish wish{parameters.try_emplace("path", ".").first->second, std::nullopt};
  LAZARET_TRY(wish.with_content, yes_or_no(parameters, "content", true));
  core::Piece piece;
  LAZARET_TRY(piece.offset, number_in(parameters, "offset", kAnyNumber));
  LAZARET_TRY(piece.length, number_in(parameters, "length", kAnyNumber));
  if (parameters.contains("offset") || parameters.contains("length")) wish.piece = piece;
  return wish;
}

// Something that is done to names in a session.
using Operation = std::function<Status(core::Session& session, const std::stop_token& stop)>;

// Somebody else's going away, as who takes the archive, or sends it, is told of it.
Error client_left() { return {Errc::connection_lost, "the client has gone"}; }

Result<Operation> unpacking_of(const std::shared_ptr<Channel>& upload, Parameters parameters) {
  if (parameters.contains("append"))
    return Error(Errc::invalid_argument, "append is not for an archive");
  return Operation([upload, path = parameters.try_emplace("path", ".").first->second](
                       core::Session& session, const std::stop_token& stop) {
    const std::stop_callback left(stop, [&upload] { upload->fail(client_left()); });
    return session.unpack(
        path, [&upload](const Call& call) { return upload->receive(call); }, stop);
  });
}

// With append=true files grow by the content instead of giving way.
Result<Operation> putting_of(const Request& request) {
  using Existing = core::Session::Existing;
  if (request.upload) return unpacking_of(request.upload, request.query);
  if (request.query.contains("path"))
    return Error(Errc::invalid_argument, "path is for an archive (application/x-tar)");
  LAZARET_TRY(const bool grow, yes_or_no(request.query, "append", false));
  LAZARET_TRY(std::vector<Input> files, files_of(request.body));
  const Existing existing = grow ? Existing::grows : Existing::gives_way;
  return Operation(
      [files = std::move(files), existing](core::Session& session, const std::stop_token& stop) {
        return session.put(files, existing, stop);
      });
}

Operation by_change(runner::Change change) {
  return [change = std::move(change)](core::Session& session, const std::stop_token& stop) {
    return session.change(change, stop);
  };
}

Result<Operation> removal_of(const Request& request) {
  const auto path = request.query.find("path");
  return by_change({runner::Change::Kind::remove,
                    path == request.query.end() ? std::string() : path->second, {}});
}

std::string take_word(nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  auto text = found->get<std::string>();
  object.erase(found);
  return text;
}

Result<Operation> operation_of(const std::string& body) {
  auto object = nlohmann::json::parse(body, nullptr, false);
  const Error wrong(Errc::invalid_argument,
                    R"(the body is {"operation": "make_directory", "path": …} or )"
                    R"({"operation": "move", "path": …, "target": …})");
  if (!object.is_object()) return wrong;
  const std::string name = take_word(object, "operation");
  std::string path = take_word(object, "path"), target = take_word(object, "target");
  const bool moves = name == "move";
  if (!object.empty() || (!moves && name != "make_directory") || moves == target.empty())
    return wrong;
  if (moves) return by_change({runner::Change::Kind::move, std::move(path), std::move(target)});
  return Operation([path](core::Session& session, const std::stop_token& stop) {
    return session.make_directory(path, stop);
  });
}

// Of the id in the path; answers where there is none.
KeptPointer kept_of(Desk& desk, const VisitorPointer& visitor) {
  auto found = desk.sessions.find(visitor->request().parameters.at("id"));
  if (!found) visitor->refuse(no_such_session());
  return found;
}

KeptPointer ready_of(Desk& desk, const VisitorPointer& visitor) {
  auto found = session_of(desk, visitor->request().parameters.at("id"));
  if (const auto* const problem = std::get_if<Problem>(&found)) {
    visitor->refuse(*problem);
    return nullptr;
  }
  return std::get<KeptPointer>(std::move(found));
}

// Files wait for the session's runs before them.
Submit in_lane(const KeptPointer& kept) {
  return [lane = kept->lane](std::function<void()> task) { return lane->submit(std::move(task)); };
}

// Something that leaves nothing to be told of (204).
void change(Desk& desk, const VisitorPointer& visitor, Result<Operation> operation) {
  if (!operation.ok()) return visitor->refuse({400, "bad_request", operation.error().message()});
  const KeptPointer kept = ready_of(desk, visitor);
  if (!kept) return;
  auto work = [kept, operation = std::move(*operation)](const Call& call) -> Result<std::string> {
    LAZARET_CHECK(operation(*kept->session, call.stop));
    return std::string();
  };
  do_aside(desk, visitor, in_lane(kept), std::move(work),
           [](const VisitorPointer& to, const std::string&) { to->answer({.status = 204}); });
}

// What a get asks for: a question that is answered in JSON, or an archive.
struct Getting {
  std::string path;
  bool is_archive = false;
  std::function<Result<std::string>(core::Session& session, const std::stop_token& stop)> ask = {};
};

std::string told_of(const std::vector<Artifact>& files, const std::vector<std::string>& warnings) {
  return text_of({{"files", core::json_of(files)}, {"warnings", warnings}});
}

Result<Getting> getting_of(const Request& request) {
  Parameters parameters = request.query;
  Getting getting{parameters.try_emplace("path", ".").first->second};
  LAZARET_TRY(const bool is_stat, yes_or_no(parameters, "stat", false));
  const auto format = parameters.find("format");
  getting.is_archive = format != parameters.end() && format->second == "tar";
  if (format != parameters.end() && !getting.is_archive && format->second != "json")
    return Error(Errc::invalid_argument, "format is json or tar");
  if ((is_stat || getting.is_archive) && parameters.size() > 2)
    return Error(Errc::invalid_argument, "an archive, or stat=true, is of a path and nothing else");
  if (getting.is_archive) return getting;
  LAZARET_TRY(core::Session::Wish wish, wish_of(std::move(parameters)));
  getting.ask = [wish = std::move(wish), is_stat](
                    core::Session& session, const std::stop_token& stop) -> Result<std::string> {
    if (is_stat) {
      LAZARET_TRY(Artifact seen, session.stat(wish.path, stop));
      return told_of({std::move(seen)}, {});
    }
    LAZARET_TRY(const auto taken, session.get(wish, stop));
    return told_of(taken.artifacts, taken.warnings);
  };
  return getting;
}

// Once something of it is on its way an error cuts it, and is nobody's answer.
void give_archive(Desk& desk, const VisitorPointer& visitor, const KeptPointer& kept,
                  const std::string& path) {
  const auto channel = visitor->download(std::string(kTarType));
  auto pack = [kept, path, channel](const Call& call) -> Result<std::string> {
    const std::stop_callback left(call.stop, [&channel] { channel->fail(client_left()); });
    bool has_begun = false;
    const Status packed = kept->session->pack(
        path,
        [&](std::string piece, const Call& bound) -> Status {
          LAZARET_CHECK(channel->send(std::move(piece), bound));
          has_begun = true;
          return {};
        },
        call.stop);
    if (packed.ok())
      channel->end();
    else
      channel->fail(packed.error());
    if (!has_begun) LAZARET_CHECK(packed);
    return std::string();
  };
  do_aside(desk, visitor, in_lane(kept), std::move(pack),
           [](const VisitorPointer&, const std::string&) {});
}

Problem no_room() {
  return {429, "too_many_sessions", "there are as many sessions as may be",
          "close one, or start the daemon with more --sessions", Bounds::kRetry};
}

}  // namespace

void open_session(Desk& desk, const VisitorPointer& visitor) {
  if (desk.draining) return visitor->refuse(draining());
  auto order = session_order_of(visitor->request().body);
  if (!order.ok()) return visitor->refuse({400, "bad_request", order.error().message()});
  auto place = desk.sessions.reserve();
  if (!place) return visitor->refuse(no_room());
  const bool has_packages = !order->packages.empty();
  auto open = [&service = desk.service, request = std::move(*order)](const Call& call) mutable {
    request.stop = call.stop;
    return service.open_session(request);
  };
  // The place is given up on the loop, with this or the other outcome.
  auto keep = [&desk, place = std::move(place)](const VisitorPointer& to,
                                                std::shared_ptr<core::Session> session) {
    // WHY not just let go: to close it blocks.
    if (to->has_left() && desk.enders.submit([session] { session->close(); })) return;
    const auto kept = desk.sessions.add(std::move(session));
    to->answer(
        {201, "application/json", whole_of(*kept), {{"Location", "/v1/sessions/" + kept->id}}});
  };
  do_aside(desk, visitor, by(has_packages ? desk.fetchers : desk.makers), std::move(open),
           std::move(keep));
}

void list_sessions(Desk& desk, const VisitorPointer& visitor) {
  ordered_json list = ordered_json::array();
  for (const KeptPointer& kept : desk.sessions.all()) list.push_back(outline_of(*kept));
  visitor->answer({.body = text_of(list)});
}

void show_session(Desk& desk, const VisitorPointer& visitor) {
  if (const KeptPointer kept = kept_of(desk, visitor)) visitor->answer({.body = whole_of(*kept)});
}

void close_session(Desk& desk, const VisitorPointer& visitor) {
  const KeptPointer kept = kept_of(desk, visitor);
  if (!kept) return;
  const auto close = [kept](const Call&) -> Result<std::string> {
    kept->session->close();
    return kept->id;
  };
  do_aside(desk, visitor, by(desk.enders), close,
           [&desk](const VisitorPointer& to, const std::string& id) {
             desk.sessions.forget(id);
             to->answer({.status = 204});
           });
}

void put_files(Desk& desk, const VisitorPointer& visitor) {
  change(desk, visitor, putting_of(visitor->request()));
}

void get_files(Desk& desk, const VisitorPointer& visitor) {
  const Request& request = visitor->request();
  auto getting = getting_of(request);
  if (!getting.ok()) return visitor->refuse({400, "bad_request", getting.error().message()});
  const KeptPointer kept = ready_of(desk, visitor);
  if (!kept) return;
  if (getting->is_archive && !request.takes_chunks)
    return visitor->refuse({426, "upgrade_required", "an archive comes in chunks: HTTP/1.1"});
  if (getting->is_archive) return give_archive(desk, visitor, kept, getting->path);
  const auto get = [kept, ask = std::move(getting->ask)](const Call& call) {
    return ask(*kept->session, call.stop);
  };
  do_aside(desk, visitor, in_lane(kept), get, [](const VisitorPointer& to, std::string text) {
    to->answer({.body = std::move(text)});
  });
}

void list_contexts(Desk& desk, const VisitorPointer& visitor) {
  const KeptPointer kept = ready_of(desk, visitor);
  if (!kept) return;
  const auto list = [kept](const Call& call) -> Result<std::string> {
    LAZARET_TRY(const auto contexts, kept->session->contexts(call.stop));
    ordered_json json = ordered_json::array();
    for (const ContextState& each : contexts)
      json.push_back({{"name", each.name},
                      {"language", each.language},
                      {"cells", each.cells},
                      {"lost", each.lost}});
    return text_of(json);
  };
  do_aside(desk, visitor, in_lane(kept), list, [](const VisitorPointer& to, std::string text) {
    to->answer({.body = std::move(text)});
  });
}

void end_context(Desk& desk, const VisitorPointer& visitor) {
  const std::string name = visitor->request().parameters.at("name");
  change(desk, visitor, Operation([name](core::Session& session, const std::stop_token& stop) {
           return session.end_context(name, stop);
         }));
}

void change_files(Desk& desk, const VisitorPointer& visitor) {
  change(desk, visitor, operation_of(visitor->request().body));
}

void remove_files(Desk& desk, const VisitorPointer& visitor) {
  change(desk, visitor, removal_of(visitor->request()));
}

}  // namespace lazaret::rest
