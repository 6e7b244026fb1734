#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/evidence_table.hpp"
#include "api/cli/run_request.hpp"
#include "base/try.hpp"
#include "core/environment.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

void write_all(std::FILE* file, std::string_view text) {
  (void)!std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

// Output goes to the user as it comes, up to the head of the cap; what is left of it afterwards.
class LiveOutput {
 public:
  void attach(ExecutionRequest& request) {
    request.on_output = [this](Stream stream, std::string_view bytes) {
      const bool out = stream == Stream::standard_output;
      (out ? out_ : err_) += bytes.size();
      write_all(out ? stdout : stderr, bytes);
    };
  }
  void finish(const ExecutionResult& result) const {
    rest(stdout, result.stdout_text, out_, result.meta.output.stdout_bytes);
    rest(stderr, result.stderr_text, err_, result.meta.output.stderr_bytes);
  }

 private:
  // The text is the head, as it was shown, and more only if there was more.
  static void rest(std::FILE* file, const std::string& text, std::size_t shown,
                   std::uint64_t total) {
    if (total > shown && text.size() > shown) write_all(file, std::string_view(text).substr(shown));
  }
  std::size_t out_ = 0;
  std::size_t err_ = 0;
};

std::string degraded(const ExecutionResult& result) {
  std::string names;
  for (const Evidence& piece : result.meta.evidence) {
    if (piece.status == EvidenceStatus::enforced) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(piece.control));
    if (piece.status == EvidenceStatus::partial) names += " (partly)";
  }
  return names;
}

void show_notes(const ExecutionResult& result) {
  if (result.meta.fallback)
    note("fell back to " + result.meta.backend + ": " + result.meta.fallback->reason);
  for (const std::string& warning : result.meta.warnings) note("warning: " + warning);
  if (const std::string names = degraded(result); !names.empty()) {
    note("not enforced here: " + names + "; `lazaret doctor` says why");
  }
  if (result.value) note("value: " + *result.value);
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

ExecutionResult execute(core::Service& service, ExecutionRequest& request) {
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  request.stop = stop.get_token();
  return service.execute(request);
}

int run_request(ExecutionRequest request, const Common& common, const RunFlags& flags) {
  auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  const auto service = core::make_service(std::move(config).value());
  if (const Status checked = service->check(request); !checked.ok()) {
    const bool denied = checked.error().code() == Errc::permission_denied;
    if (!common.json) return complain(checked.error(), denied ? kDenied : kUsage);
  }
  LiveOutput live;
  if (!common.json) live.attach(request);
  const ExecutionResult result = execute(*service, request);
  if (common.json) {
    write_all(stdout, to_json(result) + "\n");
    return status_of(result);
  }
  live.finish(result);
  if (!common.quiet) show_notes(result);
  show_end(result);
  if (flags.show_evidence) write_all(stderr, evidence_table(result.meta.evidence));
  return status_of(result);
}

using Reader = Result<ExecutionRequest> (*)(const RunFlags&);

void add(CLI::App& command, Common& common, Action& chosen, Reader read) {
  const auto flags = std::make_shared<RunFlags>();
  add_common(command, common);
  if (read == request_of_run) {
    command.add_option_function<std::string>(
        "-c,--code", [flags](const std::string& code) { flags->code = code; }, "the code itself");
    command.add_option("-l,--lang", flags->language,
                       "python, bash or javascript; otherwise by the file's name");
  }
  add_run_flags(command, *flags);
  command.add_option(
      "words", flags->words,
      read == request_of_run ? "FILE or -, and its arguments" : "COMMAND and its arguments");
  command.callback([&common, &chosen, flags, read] {
    chosen = [&common, flags, read] {
      auto request = read(*flags);
      if (!request.ok()) return complain(request.error(), kUsage);
      return run_request(std::move(request).value(), common, *flags);
    };
  });
}

}  // namespace

void add_run(CLI::App& app, Common& common, Action& chosen) {
  add(*app.add_subcommand("run", "run a file, a piece of code, or code from standard input"),
      common, chosen, request_of_run);
  add(*app.add_subcommand("exec", "run a command: lazaret exec [OPTIONS] -- COMMAND [ARGUMENT...]"),
      common, chosen, request_of_exec);
}

}  // namespace lazaret::cli
