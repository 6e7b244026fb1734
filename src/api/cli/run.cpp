#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/daemon.hpp"
#include "api/cli/evidence_table.hpp"
#include "api/cli/run_request.hpp"
#include "base/condition.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/describe.hpp"
#include "core/environment.hpp"
#include "core/orchestrator.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Whether all of it went out; a full disk or a reader that has gone is not success.
bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fflush(file) == 0 && written;
}

// Output goes to the user as it comes, byte for byte. Of one that was cut the head does, up to its
// last whole character; the rest is the result's text. While the program runs nothing waits for a
// slow reader: its time limit must hold all the same. Where something waits for a reader who has
// gone the run is stopped.
class LiveOutput {
 public:
  void attach(ExecutionRequest& request, const std::stop_source& stop) {
    request.on_output = [this, stop](Stream stream, std::string_view bytes) mutable {
      Side& side = side_of(stream);
      side.take(bytes);
      side.watch(stop);
    };
  }
  /// Whether everything could be written.
  [[nodiscard]] bool finish(const ExecutionResult& result) {
    for (Side* const side : {&out_, &err_}) side->end_watch();
    const bool out = out_.finish(result.stdout_text, result.meta.output.stdout_bytes);
    return err_.finish(result.stderr_text, result.meta.output.stderr_bytes) && out;
  }

 private:
  class Side {
   public:
    Side(int number, std::FILE* file) : number_(number), file_(file) {}
    void take(std::string_view bytes) {
      seen_ += bytes;
      shown_ += os::write_without_waiting(number_, whole().substr(shown_));
    }
    // Once something waits for its reader. Also when nothing more comes that would be shown.
    void watch(const std::stop_source& stop) {
      behind_ = shown_ < whole().size();
      if (!behind_ || watch_.joinable()) return;
      watch_ = std::jthread([this, stop](const std::stop_token& over) mutable {
        std::mutex mutex;
        Condition never;
        for (std::unique_lock lock(mutex); !over.stop_requested();) {
          if (behind_ && os::is_reader_gone(number_)) stop.request_stop();
          const auto next = std::chrono::steady_clock::now() + kBetweenLooks;
          (void)never.wait_until(lock, over, next, [] { return false; });
        }
      });
    }
    void end_watch() { watch_ = {}; }
    [[nodiscard]] bool finish(const std::string& text, std::uint64_t total) const {
      const bool is_all = total <= seen_.size();
      const std::string_view front = is_all ? std::string_view(seen_) : whole();
      if (!write_all(file_, front.substr(shown_))) return false;
      if (is_all) return true;
      const std::size_t head = to_utf8(front).size();
      return write_all(file_, std::string_view(text).substr(std::min(head, text.size())));
    }

   private:
    [[nodiscard]] std::string_view whole() const {
      return std::string_view(seen_).substr(0, whole_prefix(seen_));
    }

    int number_;
    std::FILE* file_;
    std::string seen_;  // never more than the cap, and of what was cut than its head
    std::size_t shown_ = 0;
    std::atomic<bool> behind_ = false;
    std::jthread watch_;
  };
  Side& side_of(Stream stream) { return stream == Stream::standard_output ? out_ : err_; }

  Side out_{1, stdout};
  Side err_{2, stderr};
};

std::vector<std::string> degraded(const std::vector<Evidence>& evidence) {
  std::vector<std::string> names;
  for (const Evidence& piece : evidence) {
    if (piece.status == EvidenceStatus::enforced) continue;
    names.emplace_back(name_of(piece.control));
    if (piece.status == EvidenceStatus::partial) names.back() += " (partly)";
  }
  return names;
}

std::string artifacts_note(const ExecutionResult& result, const ExecutionRequest& request,
                           const RunFlags& flags) {
  const auto count = std::ranges::count(result.artifacts, Artifact::Kind::file, &Artifact::kind);
  const std::string files = count == 1 ? "1 file" : std::to_string(count) + " files";
  if (request.output_directory) return files + " taken into " + *request.output_directory;
  if (!flags.session.empty()) return files + " in /work/out";
  return files + " left in /work/out; --out DIRECTORY takes them";
}

// Of the box, which a session tells of when it is made.
void show_notes_of_box(const ExecutionResult& result) {
  if (result.meta.fallback) note_fallback(result.meta.backend, result.meta.fallback->reason);
  note_degraded(degraded(result.meta.evidence));
}

void show_notes(const ExecutionResult& result, const ExecutionRequest& request,
                const RunFlags& flags) {
  if (flags.session.empty()) show_notes_of_box(result);
  for (const std::string& warning : result.meta.warnings) note("warning: " + warning);
  if (result.value) note("value: " + *result.value);
  if (!result.artifacts.empty()) note(artifacts_note(result, request, flags));
  if (result.truncated) note("output beyond its limit was left out; raise --max-output");
}

void show_end(const ExecutionResult& result) {
  const bool ours = result.meta.cause != Cause::exited && result.meta.cause != Cause::nonzero_exit;
  const bool said = result.error && (ours || result.error->type == ErrorType::SerializationError);
  if (said)
    note(std::string(name_of(result.meta.cause)) + ": " + result.error->message);
  else if (ours)
    note(std::string(name_of(result.meta.cause)));
  if (said && result.error->hint) note("hint: " + *result.error->hint);
}

int status_of(const ExecutionResult& result) {
  switch (result.meta.cause) {
    case Cause::exited:
    case Cause::nonzero_exit: return result.exit_code;
    case Cause::timeout:
    case Cause::cpu_limit: return kTimeout;
    case Cause::memory_limit: return kMemory;
    case Cause::cancelled: return kInterrupted;
    case Cause::policy_denied:
    case Cause::approval_denied: return kDenied;
    case Cause::compile_failed: return kCompileFailed;
    case Cause::start_failed: return result.meta.start_errno == 2 ? kNotFound : kDenied;
    case Cause::signalled:
    case Cause::disk_limit:
    case Cause::pids_limit:
      return result.meta.signal ? 128 + *result.meta.signal : result.exit_code;
    case Cause::output_limit:
    case Cause::image_missing:
    case Cause::enforcement_mismatch:
    case Cause::backend_unavailable:
    case Cause::infrastructure_lost: return kOurFailure;
  }
  return kOurFailure;
}

// These are read and written here, as far as this user may; a daemon would be asked to hold them.
bool touches_files(const ExecutionRequest& request) {
  return request.output_directory || std::ranges::any_of(request.inputs, [](const Input& input) {
           return input.source.has_value();
         });
}

ExecutionResult execute(core::Service& service, const ExecutionRequest& request,
                        const RunFlags& flags, std::stop_source& stop) {
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  if (!flags.no_daemon && !touches_files(request)) {
    if (auto result = run_in_daemon(service.config(), request)) return std::move(*result);
  }
  return service.execute(request);
}

// What the user sees of a result; false where not all of it could be written.
bool show(const ExecutionResult& result, const ExecutionRequest& request, LiveOutput& live,
          const Common& common, const RunFlags& flags) {
  if (common.json) return write_all(stdout, to_json(result) + "\n");
  if (result.compile) (void)write_all(stderr, result.compile->diagnostics);
  const bool written = live.finish(result);
  if (!common.quiet) show_notes(result, request, flags);
  show_end(result);
  if (flags.show_evidence) (void)write_all(stderr, evidence_table(result.meta.evidence));
  if (!written) note("the output could not be written");
  return written;
}

// Of what was interrupted while files were taken from it not all is there.
int status_of(const ExecutionResult& result, const std::stop_source& stop) {
  return result.success() && stop.stop_requested() ? kInterrupted : status_of(result);
}

// Of what did not come as far as a run.
int refuse(const Error& error, const Common& common, int status) {
  if (!common.json) return complain(error, status);
  const Errc code = status == kUsage ? Errc::invalid_argument : error.code();
  ExecutionResult result = core::failed_run(Error(error).as(code));
  core::describe(result, {}, nullptr);
  return write_all(stdout, to_json(result) + "\n") ? status : kOurFailure;
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
  const ExecutionResult result = execute(*service, request, flags, stop);
  if (!show(result, request, live, common, flags)) return kOurFailure;
  return checked.ok() ? status_of(result, stop) : refusal;
}

// The session's daemon decides everything else.
int run_in_its_session(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  request.stop = stop.get_token();
  LiveOutput live;
  if (!common.json) live.attach(request, stop);
  const auto result = run_in_session(flags.session, request);
  if (!result.ok() && stop.stop_requested()) return kInterrupted;
  if (!result.ok()) return refuse(result.error(), common, status_of_refusal(result.error().code()));
  return show(*result, request, live, common, flags) ? status_of(*result, stop) : kOurFailure;
}

using Reader = Result<ExecutionRequest> (*)(const RunFlags&);
struct Verb {
  Reader read;
  int (*run)(ExecutionRequest request, const Common& common, const RunFlags& flags);
};

// The words of the user, to be read and run when the command is chosen.
void add_program_words(CLI::App& command, Common& common, Action& chosen, const Verb& verb,
                       const std::shared_ptr<RunFlags>& flags) {
  if (verb.read == request_of_run) {
    command.add_option_function<std::string>(
        "-c,--code", [flags](const std::string& code) { flags->code = code; }, "the code itself");
    command.add_option("-l,--lang", flags->language,
                       "python, javascript, c, …; otherwise by the file's name");
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

void add_to(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_common(command, common);
  add_run_flags(command, *flags);
  add_program_words(command, common, chosen, {read, run_request}, flags);
}

void add_to_session(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_output(command, common);
  add_program_flags(command, *flags);
  command.add_option("session", flags->session, "the session's id")->required();
  add_program_words(command, common, chosen, {read, run_in_its_session}, flags);
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

void add_session_runs(CLI::App& group, Common& common, Action& chosen) {
  add_to_session(*group.add_subcommand("run", "run a file or a piece of code in a session"), common,
                 chosen, request_of_run);
  add_to_session(*group.add_subcommand("exec", "run a command in a session"), common, chosen,
                 request_of_exec);
}

}  // namespace lazaret::cli
