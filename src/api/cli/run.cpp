#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/daemon.hpp"
#include "api/cli/errand.hpp"
#include "api/cli/lent_terminal.hpp"
#include "api/cli/run_request.hpp"
#include "api/cli/show.hpp"
#include "base/try.hpp"
#include "core/describe.hpp"
#include "core/environment.hpp"
#include "core/orchestrator.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

bool touches_files(const ExecutionRequest& request) {
  return request.output_directory || !request.packages.empty() ||
         std::ranges::any_of(request.inputs, [](const Input& input) {
           return input.source.has_value();
         });
}

enum class Where { here, daemon_if_any };

ExecutionResult execute(core::Service& service, const ExecutionRequest& request, Where where,
                        std::stop_source& stop) {
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  auto result = where == Where::daemon_if_any ? run_in_daemon(service.config(), request)
                                              : std::nullopt;
  return result ? std::move(*result) : service.execute(request);
}

Result<ExecutionResult> run_interruptibly(const ExecutionRequest& request, const RunFlags& flags,
                                          std::stop_source& stop) {
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  return run_in_session(flags.session, request);
}

// WHY before the watch for interrupts: what its thread hears of is heard by nobody else.
std::unique_ptr<LentTerminal> lend_terminal(ExecutionRequest& request, const Common& common,
                                            std::stop_source& stop) {
  if (!request.terminal || common.json) return nullptr;
  return std::make_unique<LentTerminal>(request, stop);
}

// Of what was interrupted while files were taken from it not all is there.
int status_after(const ExecutionResult& result, const std::stop_source& stop) {
  return result.success() && stop.stop_requested() ? kInterrupted : status_of(result);
}

// Of what did not come as far as a run.
int refuse(const Error& error, const Common& common, int status) {
  if (!common.json) return complain(error, status);
  const Errc code = status == kUsage ? Errc::invalid_argument : error.code();
  ExecutionResult result = core::failed_run(Error(error).as(code));
  core::describe(result, {}, nullptr);
  return print_result(result, common) ? status : kOurFailure;
}

int run_request(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return refuse(config.error(), common, kUsage);
  const auto service = core::make_service(std::move(config).value(), backend::Serves::one_run);
  const Status checked = service->check(request);
  const bool denied = !checked.ok() && checked.error().code() == Errc::permission_denied;
  const int refusal = denied ? kDenied : kUsage;
  if (!checked.ok() && !common.json) return complain(checked.error(), refusal);
  std::stop_source stop;
  request.stop = stop.get_token();
  LiveOutput live;
  if (!common.json) live.attach(request, stop);
  if (!common.json && !common.quiet)
    request.on_progress = [](std::string_view what) { note(std::string(what)); };
  auto lent = lend_terminal(request, common, stop);
  const bool may_go = checked.ok() && !flags.no_daemon;
  const ExecutionResult result =
      execute(*service, request, may_go ? Where::daemon_if_any : Where::here, stop);
  live.settle();
  lent.reset();
  if (!show(result, request, live, common, flags)) return kOurFailure;
  return checked.ok() ? status_after(result, stop) : refusal;
}

// The session's daemon decides everything else.
int run_in_its_session(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  std::stop_source stop;
  request.stop = stop.get_token();
  LiveOutput live;
  if (!common.json) live.attach(request, stop);
  auto lent = lend_terminal(request, common, stop);
  const auto result = run_interruptibly(request, flags, stop);
  live.settle();
  lent.reset();
  if (!result.ok() && stop.stop_requested()) return kInterrupted;
  if (!result.ok()) return refuse(result.error(), common, status_of_refusal(result.error().code()));
  return show(*result, request, live, common, flags) ? status_after(*result, stop) : kOurFailure;
}

// A person at a terminal has as long as may be, unless he says otherwise.
int run_shell(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return refuse(config.error(), common, kUsage);
  if (!request.limits.timeout) request.limits.timeout = config->maxima.timeout;
  if (flags.session.empty()) return run_request(std::move(request), common, flags);
  const bool is_of_a_box = touches_files(request) || flags.no_daemon || common.sandbox.type ||
                           common.sandbox.host || common.sandbox.fallback;
  if (is_of_a_box)
    return refuse({Errc::invalid_argument, "the session has its box, its backend and its files"},
                  common, kUsage);
  return run_in_its_session(std::move(request), common, flags);
}

// A job has no standard input: who has started it may be gone.
int start_as_job(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  request.stdin_source = nullptr;
  Errand errand;
  const auto id = errand.start_job(request, flags.session);
  if (!id.ok() && common.json)
    return refuse(id.error(), common, status_of_refusal(id.error().code()));
  if (!id.ok()) return errand.fail(id.error());
  const std::string told = common.json ? R"({"run_id":")" + *id + "\"}" : *id;
  if (write_all(stdout, told + "\n")) return 0;
  return complain({Errc::system, "the output could not be written; the job is " + *id},
                  kOurFailure);
}

using Reader = Result<ExecutionRequest> (*)(const RunFlags&);
struct Verb {
  Reader read;
  int (*run)(ExecutionRequest request, const Common& common, const RunFlags& flags);
};

void add_context_words(CLI::App& command, RunFlags& flags) {
  auto* const context = command.add_option(
      "--context", flags.context,
      "name of the interpreter that keeps variables and imports for the next run; python, "
      "javascript");
  command
      .add_option_function<std::string>(
          "--rich", [&flags](const std::string& path) { flags.rich_directory = path; },
          "a directory for what it shows: pictures, tables, pages")
      ->needs(context);
}

// The words of the user, to be read and run when the command is chosen.
void add_program_words(CLI::App& command, Common& common, Action& chosen, const Verb& verb,
                       const std::shared_ptr<RunFlags>& flags) {
  if (verb.read == request_of_run) {
    command.add_option_function<std::string>(
        "-c,--code", [flags](const std::string& code) { flags->code = code; }, "the code itself");
    command.add_option("-l,--lang", flags->language,
                       "python, javascript, c, …; otherwise by the file's name");
    if (verb.run == run_in_its_session) add_context_words(command, *flags);
    if (verb.run == run_request) add_package_flag(command, *flags);
  }
  command.add_option(
      "words", flags->words,
      verb.read == request_of_run ? "FILE or -, and its arguments" : "COMMAND and its arguments");
  command.callback([&common, &chosen, flags, verb] {
    chosen = [&common, flags, verb] {
      auto request = verb.read(*flags);
      if (!request.ok()) return refuse(request.error(), common, kUsage);
      return verb.run(std::move(request).value(), common, *flags);
    };
  });
}

// Where a program's result is what is printed.
void add_output_of_run(CLI::App& command, Common& common) {
  add_output(command, common);
  const auto shorten = [&common] { common.json = common.summary = true; };
  command.add_flag_callback("--summary", shorten,
                            "as --json, but one short line for an agent to keep");
}

void add_to(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_sandbox(command, common.sandbox);
  add_output_of_run(command, common);
  add_run_flags(command, *flags);
  add_terminal_flag(command, *flags);
  add_program_words(command, common, chosen, {read, run_request}, flags);
}

void add_to_session(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_output_of_run(command, common);
  add_program_flags(command, *flags);
  add_evidence_flag(command, *flags);
  add_terminal_flag(command, *flags);
  command.add_option("session", flags->session, "the session's id")->required();
  add_program_words(command, common, chosen, {read, run_in_its_session}, flags);
}

void add_to_job(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_output(command, common);
  add_box_flags(command, *flags);
  add_program_flags(command, *flags);
  command.add_option("--session", flags->session, "id of the session to run it in")
      ->check(flaw_of_id);
  add_program_words(command, common, chosen, {read, start_as_job}, flags);
}

}  // namespace

void add_run(CLI::App& app, Common& common, Action& chosen) {
  add_to(*app.add_subcommand("run", "run a file, a piece of code, or code from standard input"),
         common, chosen, request_of_run);
}

void add_exec(CLI::App& app, Common& common, Action& chosen) {
  add_to(
      *app.add_subcommand("exec", "run a command: lazaret exec [OPTIONS] -- COMMAND [ARGUMENT...]"),
      common, chosen, request_of_exec);
}

void add_shell(CLI::App& app, Common& common, Action& chosen) {
  CLI::App& command = *app.add_subcommand(
      "shell", "a shell in a box of its own, or in a session's: lazaret shell [OPTIONS] [SESSION]");
  const auto flags = std::make_shared<RunFlags>();
  add_common(command, common);
  add_run_flags(command, *flags);
  command.add_option("session", flags->session, "id of the session to open it in")
      ->check(flaw_of_id);
  command.callback([&common, &chosen, flags] {
    chosen = [&common, flags] {
      auto request = request_of_shell(*flags);
      if (!request.ok()) return refuse(request.error(), common, kUsage);
      return run_shell(std::move(request).value(), common, *flags);
    };
  });
}

void add_session_runs(CLI::App& group, Common& common, Action& chosen) {
  add_to_session(*group.add_subcommand("run", "run a file or a piece of code in a session"), common,
                 chosen, request_of_run);
  add_to_session(*group.add_subcommand("exec", "run a command in a session"), common, chosen,
                 request_of_exec);
}

void add_job_runs(CLI::App& group, Common& common, Action& chosen) {
  add_to_job(
      *group.add_subcommand("run", "start a file or a piece of code, and print the job's id"),
      common, chosen, request_of_run);
  add_to_job(*group.add_subcommand("exec", "start a command, and print the job's id"), common,
             chosen, request_of_exec);
}

}  // namespace lazaret::cli
