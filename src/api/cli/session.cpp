#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/errand.hpp"
#include "api/cli/run_request.hpp"
#include "base/try.hpp"
#include "core/request_json.hpp"

namespace lazaret::cli {
namespace {

using nlohmann::json;

struct SessionFlags {
  RunFlags box;
  std::optional<unsigned> lifetime;
  std::optional<unsigned> idle;
  std::vector<std::string> ids;
  std::string id;
  std::vector<std::string> contexts;
};

// The exit status of `use`, or of a refusal.
template <typename Use>
int with_answer(const Question& question, Use use) {
  Errand errand;
  const auto answer = errand.ask(question);
  return answer.ok() ? use(*answer) : errand.fail(answer.error());
}

Result<std::string> order_of(const SessionFlags& flags) {
  LAZARET_TRY(ExecutionRequest box, common_request(flags.box));
  box.language = flags.box.language.empty() ? "python" : flags.box.language;
  box.packages = flags.box.packages;
  json order = core::json_of(box);
  if (order.value("packages", json::array()).size() < box.packages.size())
    return Error(Errc::invalid_argument,
                 "a session's packages are what an index is asked for; the daemon reads no files")
        .with_hint("--with NAME==VERSION for python, NAME@VERSION for javascript");
  if (flags.lifetime) order["lifetime_s"] = *flags.lifetime;
  if (flags.idle) order["idle_s"] = *flags.idle;
  return order.dump(-1, ' ', false, json::error_handler_t::replace);
}

// What is told of a run is told here once, for all of them.
void show_notes_of(const json& session) {
  const json fallback = session.value("fallback", json());
  if (fallback.is_object()) note_fallback(text_in(session, "backend"), text_in(fallback, "reason"));
  std::vector<std::string> degraded;
  for (const json& row : session.value("evidence", json::array())) {
    if (text_in(row, "status") == "enforced") continue;
    degraded.push_back(text_in(row, "control"));
    if (text_in(row, "status") == "partial") degraded.back() += " (partly)";
  }
  note_degraded(degraded);
}

int make_session(const Common& common, const SessionFlags& flags) {
  const auto order = order_of(flags);
  if (!order.ok()) return complain(order.error(), kUsage);
  return with_answer({"POST", "/v1/sessions", *order}, [&common](const std::string& answer) {
    const json session = json::parse(answer, nullptr, false);
    if (!session.contains("session_id"))
      return complain({Errc::protocol, "the daemon names no session"}, kOurFailure);
    std::printf("%s\n", (common.json ? answer : text_in(session, "session_id")).c_str());
    if (!common.json && !common.quiet) show_notes_of(session);
    return 0;
  });
}

void show_sessions(const json& list) {
  std::printf("%-32s  %-8s %-5s %-10s %-8s %7s %7s\n", "SESSION", "STATE", "BUSY", "LANGUAGE",
              "BACKEND", "AGE s", "LEFT s");
  for (const json& each : list) {
    const auto text = [&each](const char* name) { return text_in(each, name); };
    std::printf("%-32s  %-8s %-5s %-10s %-8s %7s %7s\n", text("session_id").c_str(),
                text("state").c_str(), text("busy") == "true" ? "yes" : "no",
                text("language").c_str(), text("backend").c_str(), text("age_s").c_str(),
                text("expires_in_s").c_str());
  }
}

int list_sessions(const Common& common) {
  return with_answer({"GET", "/v1/sessions"}, [&common](const std::string& answer) {
    const json sessions = json::parse(answer, nullptr, false);
    if (!sessions.is_array())
      return complain({Errc::protocol, "the daemon lists no sessions"}, kOurFailure);
    if (common.json)
      std::printf("%s\n", answer.c_str());
    else
      show_sessions(sessions);
    return 0;
  });
}

int end_sessions(const SessionFlags& flags) {
  int status = 0;
  for (const std::string& id : flags.ids) {
    const int removed =
        with_answer({"DELETE", "/v1/sessions/" + id}, [](const std::string&) { return 0; });
    if (removed == kInterrupted) return removed;
    if (removed != 0) status = removed;
  }
  return status;
}

std::string contexts_of(const SessionFlags& flags) {
  return "/v1/sessions/" + flags.id + "/contexts";
}

void show_contexts(const json& list) {
  std::printf("%-20s  %-10s %6s %s\n", "CONTEXT", "LANGUAGE", "CELLS", "STATE");
  for (const json& each : list) {
    const bool is_lost = text_in(each, "lost") == "true";
    std::printf("%-20s  %-10s %6s %s\n", text_in(each, "name").c_str(),
                text_in(each, "language").c_str(), text_in(each, "cells").c_str(),
                is_lost ? "lost" : "ready");
  }
}

int list_contexts(const Common& common, const SessionFlags& flags) {
  return with_answer({"GET", contexts_of(flags)}, [&common](const std::string& answer) {
    const json contexts = json::parse(answer, nullptr, false);
    if (!contexts.is_array())
      return complain({Errc::protocol, "the daemon lists no contexts"}, kOurFailure);
    if (common.json)
      std::printf("%s\n", answer.c_str());
    else
      show_contexts(contexts);
    return 0;
  });
}

int end_contexts(const SessionFlags& flags) {
  int status = 0;
  for (const std::string& name : flags.contexts) {
    const int ended = with_answer({"DELETE", contexts_of(flags) + "/" + name},
                                  [](const std::string&) { return 0; });
    if (ended == kInterrupted) return ended;
    if (ended != 0) status = ended;
  }
  return status;
}

std::string flaw_of_context(const std::string& word) {
  const bool named = !word.empty() && word.find_first_of("/?#% ") == std::string::npos;
  return named ? "" : "no name of a context: " + word;
}

void add_contexts(CLI::App& group, Common& common, Action& chosen) {
  auto* const contexts = group.add_subcommand(
      "context", "interpreters that keep what runs leave in them: session run --context NAME");
  contexts->require_subcommand(1);
  const auto flags = std::make_shared<SessionFlags>();
  auto* const ls = contexts->add_subcommand("ls", "those of a session");
  add_output(*ls, common);
  ls->add_option("session", flags->id, "its id")->required()->check(flaw_of_id);
  ls->callback([&common, &chosen, flags] {
    chosen = [&common, flags] { return list_contexts(common, *flags); };
  });
  auto* const rm = contexts->add_subcommand("rm", "end them; the next run begins a new one");
  rm->add_option("session", flags->id, "the session's id")->required()->check(flaw_of_id);
  rm->add_option("context", flags->contexts, "their names")->required()->check(flaw_of_context);
  rm->callback([&chosen, flags] { chosen = [flags] { return end_contexts(*flags); }; });
}

void add_new(CLI::App& group, Common& common, Action& chosen) {
  auto* const command = group.add_subcommand("new", "make a session, and print its id");
  const auto flags = std::make_shared<SessionFlags>();
  add_output(*command, common);
  add_box_flags(*command, flags->box);
  add_package_flag(*command, flags->box);
  command->add_option("-l,--lang", flags->box.language,
                      "what it is for: the image, and the room of its runtime; else python");
  const auto seconds = [command](const char* flag, std::optional<unsigned>& target,
                                 const char* help) {
    command
        ->add_option_function<unsigned>(
            flag, [&target](unsigned count) { target = count; }, help)
        ->check(CLI::Range(1U, 86'400U));
  };
  seconds("--lifetime", flags->lifetime, "seconds from its making to its end; else 3600");
  seconds("--idle", flags->idle, "seconds without a run until its end; else 600");
  command->callback([&common, &chosen, flags] {
    chosen = [&common, flags] { return make_session(common, *flags); };
  });
}

void add_rm(CLI::App& group, Action& chosen) {
  auto* const command = group.add_subcommand("rm", "end sessions, and what runs in them");
  const auto flags = std::make_shared<SessionFlags>();
  command->add_option("session", flags->ids, "their ids")->required()->check(flaw_of_id);
  command->callback([&chosen, flags] { chosen = [flags] { return end_sessions(*flags); }; });
}

}  // namespace

void add_session(CLI::App& app, Common& common, Action& chosen) {
  auto* const group =
      app.add_subcommand("session", "boxes that are kept for several runs, by this user's daemon");
  group->footer(
      "  ID=$(lazaret session new --lang python)\n"
      "  lazaret session run $ID -c 'open(\"kept\", \"w\").write(\"6 * 7\")'\n"
      "  lazaret session exec $ID -- cat kept\n"
      "  lazaret session rm $ID\n"
      "Runs of a session share its files, one follows the other. `lazaret serve` keeps sessions.");
  group->require_subcommand(1);
  add_new(*group, common, chosen);
  add_session_runs(*group, common, chosen);
  auto* const ls = group->add_subcommand("ls", "the sessions that there are");
  add_output(*ls, common);
  ls->callback([&common, &chosen] { chosen = [&common] { return list_sessions(common); }; });
  add_rm(*group, chosen);
  add_contexts(*group, common, chosen);
}

}  // namespace lazaret::cli
