#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/errand.hpp"
#include "api/cli/show.hpp"
#include "base/base64.hpp"
#include "base/try.hpp"
#include "core/json_members.hpp"
#include "core/result_reading.hpp"

namespace lazaret::cli {
namespace {

using nlohmann::json;

constexpr const char* kRuns = "/v1/runs/";
constexpr const char* kLongest = "wait=60";     // seconds; then it is asked again
constexpr std::size_t kMostResult = 1UL << 30;  // of a daemon whose configuration is its own

struct JobFlags {
  std::vector<std::string> ids;
  std::string id;
  std::string signal;
  std::uint64_t offset = 0;
  bool follow = false;
  bool errors = false;
  RunFlags shown;  // of the result
};

Error unheard(const char* what) { return {Errc::protocol, std::string("the daemon ") + what}; }

void show_jobs(const json& list) {
  std::printf("%-32s  %-8s %7s  %-20s %s\n", "JOB", "STATE", "AGE s", "CAUSE", "SESSION");
  for (const json& each : list) {
    if (!each.is_object()) continue;
    std::printf("%-32s  %-8s %7s  %-20s %s\n", text_in(each, "run_id").c_str(),
                text_in(each, "state").c_str(), text_in(each, "age_s").c_str(),
                text_in(each, "cause").c_str(), text_in(each, "session_id").c_str());
  }
}

int list_jobs(const Common& common) {
  Errand errand;
  const auto answer = errand.ask({"GET", "/v1/runs"});
  if (!answer.ok()) return errand.fail(answer.error());
  const json runs = json::parse(*answer, nullptr, false);
  if (!runs.is_array()) return errand.fail(unheard("lists no runs"));
  if (common.json)
    std::printf("%s\n", answer->c_str());
  else
    show_jobs(runs);
  return 0;
}

// The end of a run.
struct End {
  std::string result;   // JSON
  std::string session;  // empty when it had a box of its own
};

Result<End> end_of(Errand& errand, const std::string& id) {
  for (;;) {
    LAZARET_TRY(const std::string answer,
                errand.ask({"GET", kRuns + id + "?" + kLongest, {}, kMostResult}));
    auto members =
        core::members_of(answer, {"state", "result", "session_id"}, core::kMostDepth + 1);
    if (!members || !members->contains("state")) return unheard("tells no state");
    if (!members->contains("result")) continue;
    const json session = json::parse((*members)["session_id"], nullptr, false);
    return End{std::move(members->at("result")),
               session.is_string() ? session.get<std::string>() : ""};
  }
}

// A piece of output, and how it goes on.
struct Piece {
  std::string bytes;
  std::uint64_t next = 0;
  bool complete = false;
  bool truncated = false;
  std::string cause;  // once complete
};

Result<Piece> piece_of(const std::string& answer) {
  const json part = json::parse(answer, nullptr, false);
  const bool whole = part.is_object() && part.value("content", json()).is_string() &&
                     part.value("next_offset", json()).is_number_unsigned();
  const auto bytes = whole ? from_base64(part["content"].get<std::string>()) : std::nullopt;
  if (!bytes) return unheard("shows no output");
  return Piece{*bytes, part["next_offset"].get<std::uint64_t>(),
               part.value("complete", json()) == true, part.value("truncated", json()) == true,
               part.contains("cause") ? text_in(part, "cause") : ""};
}

std::string output_of(const std::string& id, Stream stream, const char* more) {
  return kRuns + id +
         "/output?stream=" + (stream == Stream::standard_output ? "stdout" : "stderr") + more +
         "&offset=";
}

// Byte for byte, which the result's text is not. Nothing where it is not kept: the text has to do.
void pass_output(Errand& errand, const std::string& id, Stream stream,
                 const ExecutionRequest& request) {
  const std::string place = output_of(id, stream, "");
  for (std::uint64_t offset = 0;;) {
    const auto answer = errand.ask({"GET", place + std::to_string(offset)});
    const auto piece = answer.ok() ? piece_of(*answer) : answer.error();
    if (!piece.ok() || piece->bytes.empty()) return;
    request.on_output(stream, piece->bytes);
    offset = piece->next;
  }
}

int wait_for_job(const Common& common, const JobFlags& flags) {
  Errand errand;
  const auto end = end_of(errand, flags.id);
  if (!end.ok()) return errand.fail(end.error());
  const auto result = core::result_of(end->result);
  if (!result.ok()) return errand.fail(result.error());
  RunFlags shown = flags.shown;
  shown.awaited = true;
  shown.session = end->session;
  ExecutionRequest request;
  LiveOutput live;
  live.attach(request, {});
  if (!common.json) {
    for (const Stream stream : {Stream::standard_output, Stream::standard_error})
      pass_output(errand, flags.id, stream, request);
  }
  return show(*result, request, live, common, shown) ? status_of(*result) : kOurFailure;
}

// What output alone does not tell.
bool is_told(const std::string& cause) {
  return !cause.empty() && cause != "exited" && cause != "nonzero_exit";
}

// Up to where there is nothing yet, or to its end.
int show_output(const Common& common, const JobFlags& flags) {
  Errand errand;
  const Stream stream = flags.errors ? Stream::standard_error : Stream::standard_output;
  const std::string place =
      output_of(flags.id, stream, flags.follow ? (std::string("&") + kLongest).c_str() : "");
  for (std::uint64_t offset = flags.offset;;) {
    const auto answer = errand.ask({"GET", place + std::to_string(offset)});
    if (!answer.ok()) return errand.fail(answer.error());
    const auto piece = piece_of(*answer);
    if (!piece.ok()) return errand.fail(piece.error());
    if (!write_all(stdout, piece->bytes))
      return complain({Errc::system, "the output could not be written"}, kOurFailure);
    if (piece->truncated && !common.quiet)
      note("output beyond its limit was left out; `lazaret job wait` has its end");
    if (is_told(piece->cause) && !common.quiet) note("the job has ended: " + piece->cause);
    if (piece->complete || (!flags.follow && piece->bytes.empty())) return 0;
    offset = std::max(offset, piece->next);  // one that is not there yet is waited for
  }
}

int signal_job(const JobFlags& flags) {
  Errand errand;
  const json body = {{"signal", flags.signal}};
  const auto sent = errand.ask({"POST", kRuns + flags.id + "/signal",
                                body.dump(-1, ' ', false, json::error_handler_t::replace)});
  return sent.ok() ? 0 : errand.fail(sent.error());
}

// One that runs is cancelled first, and told of until it has ended.
Status remove_job(Errand& errand, const std::string& id) {
  LAZARET_TRY(const std::string answer, errand.ask({"DELETE", kRuns + id}));
  if (answer.empty()) return {};
  const auto end = end_of(errand, id);
  const auto gone =
      end.ok() ? errand.ask({"DELETE", kRuns + id}) : Result<std::string>(end.error());
  return gone.ok() || gone.error().code() == Errc::not_found ? Status() : Status(gone.error());
}

int remove_jobs(const JobFlags& flags) {
  int status = 0;
  Errand errand;
  for (const std::string& id : flags.ids) {
    const Status removed = remove_job(errand, id);
    const int failed = removed.ok() ? 0 : errand.fail(Error(removed.error()).within(id));
    if (failed == kInterrupted) return failed;
    if (failed != 0) status = failed;
  }
  return status;
}

// CLI11 takes -3 for a large number, and 010 for eight.
std::string flaw_of_number(const std::string& word) {
  constexpr std::size_t kMostDigits = 18;
  const bool plain = !word.empty() && word.size() <= kMostDigits &&
                     word.find_first_not_of("0123456789") == word.npos &&
                     (word == "0" || word.front() != '0');
  return plain ? "" : "no number of bytes: " + word;
}

CLI::App& add_one(CLI::App& group, const char* name, const char* help,
                  const std::shared_ptr<JobFlags>& flags) {
  auto* const command = group.add_subcommand(name, help);
  command->add_option("job", flags->id, "its id")->required()->check(flaw_of_job);
  return *command;
}

void add_wait(CLI::App& group, Common& common, Action& chosen) {
  const auto flags = std::make_shared<JobFlags>();
  CLI::App& command =
      add_one(group, "wait", "wait for its end: its output and exit status, as of `run`", flags);
  add_output(command, common);
  add_evidence_flag(command, flags->shown);
  command.callback([&common, &chosen, flags] {
    chosen = [&common, flags] { return wait_for_job(common, *flags); };
  });
}

void add_logs(CLI::App& group, Common& common, Action& chosen) {
  const auto flags = std::make_shared<JobFlags>();
  CLI::App& command = add_one(group, "logs", "what it has written so far", flags);
  command.add_flag("-q,--quiet", common.quiet, "no warnings on standard error");
  command.add_flag("-f,--follow", flags->follow, "and what it will write, until it ends");
  command.add_flag("--stderr", flags->errors, "of its standard error");
  command.add_option("--offset", flags->offset, "from this byte on")->check(flaw_of_number);
  command.callback([&common, &chosen, flags] {
    chosen = [&common, flags] { return show_output(common, *flags); };
  });
}

void add_signal(CLI::App& group, Action& chosen) {
  const auto flags = std::make_shared<JobFlags>();
  CLI::App& command = add_one(group, "signal", "send a signal to its program", flags);
  command.add_option("name", flags->signal, "TERM, INT, USR1, …")->required();
  command.callback([&chosen, flags] { chosen = [flags] { return signal_job(*flags); }; });
}

void add_job_rm(CLI::App& group, Action& chosen) {
  auto* const command = group.add_subcommand("rm", "end jobs, and forget what became of them");
  const auto flags = std::make_shared<JobFlags>();
  command->add_option("job", flags->ids, "their ids")->required()->check(flaw_of_job);
  command->callback([&chosen, flags] { chosen = [flags] { return remove_jobs(*flags); }; });
}

}  // namespace

void add_job(CLI::App& app, Common& common, Action& chosen) {
  auto* const group =
      app.add_subcommand("job", "runs that nobody waits for, by this user's daemon");
  group->footer(
      "  ID=$(lazaret job run --timeout 5m train.py)\n"
      "  lazaret job logs --follow $ID\n"
      "  lazaret job signal $ID INT\n"
      "  lazaret job wait $ID\n"
      "A job has no standard input. What became of it is kept for ten minutes, or as long as the\n"
      "daemon was told (`lazaret serve --keep`).");
  group->require_subcommand(1);
  add_job_runs(*group, common, chosen);
  auto* const ls = group->add_subcommand("ls", "the jobs that there are");
  add_output(*ls, common);
  ls->callback([&common, &chosen] { chosen = [&common] { return list_jobs(common); }; });
  add_logs(*group, common, chosen);
  add_wait(*group, common, chosen);
  add_signal(*group, chosen);
  add_job_rm(*group, chosen);
}

}  // namespace lazaret::cli
