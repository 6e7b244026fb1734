#include "core/compile_step.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "core/bounds.hpp"
#include "core/collector.hpp"
#include "core/diagnostics.hpp"
#include "core/job.hpp"

namespace lazaret::core {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kDiagnosticBytes = 64UL << 10;

// Some compilers complain on one stream, some on the other.
class Diagnostics final : public runner::Sink {
 public:
  Status output(Stream, Bytes bytes) override {
    (void)text.take(bytes);
    return {};
  }
  void value(Bytes) override {}
  void credit(std::uint32_t) override {}

  Collector text{kDiagnosticBytes};
};

void put_ending(Compilation& part, const runner::Ending& ending) {
  const auto* const exited = std::get_if<runner::Exited>(&ending);
  if (exited == nullptr) return;
  if (exited->how == runner::Exited::How::exit)
    part.exit_code = static_cast<int>(exited->code);
  else
    part.signal = static_cast<int>(exited->code);
}

Result<runner::Ending> carry(runner::Client& client, const runner::Job& compiler,
                             Diagnostics& diagnostics, const Call& call) {
  if (const Status status = client.compile(compiler, call); !status.ok())
    return status.error();
  return client.await(diagnostics, call);
}

bool is_given_up(const Result<runner::Ending>& ending) {
  return !ending.ok() && (ending.error().code() == Errc::timed_out ||
                          ending.error().code() == Errc::cancelled);
}

// Asked first, as compilers clear away on TERM what they have left beside the program.
std::optional<StoppedCompiler> end_compiler(runner::Client& client, Diagnostics& diagnostics) {
  constexpr std::uint32_t kTerminate = 15, kHardest = 9;
  const auto decided = Clock::now();
  for (const auto& [signal, path] :
       {std::pair{kTerminate, "term"}, std::pair{kHardest, "kill"}}) {
    const Call call = Call{}.within(kKillBound);
    if (!client.signal(signal, call).ok()) return std::nullopt;
    auto ending = client.await(diagnostics, call);
    if (!ending.ok()) continue;
    const auto taken = Clock::now() - decided;
    return StoppedCompiler{*std::move(ending), path,
                           std::chrono::duration_cast<std::chrono::milliseconds>(taken)};
  }
  return std::nullopt;
}

}  // namespace

bool Compiled::was_started() const {
  return ending.ok() ? std::holds_alternative<runner::Exited>(*ending) : part.timed_out;
}
bool Compiled::well() const { return ending.ok() && part.exit_code == 0; }

Compiled compile_in(runner::Client& client, const policy::Spec& spec,
                    std::span<const std::string> of_image, const std::stop_token& stop) {
  Diagnostics diagnostics;
  const auto started = Clock::now();
  Compiled compiled{
      {}, carry(client, compiler_of(spec, of_image), diagnostics,
                {Deadline::after(spec.limits.compile_timeout), stop})};
  Compilation& part = compiled.part;
  part.duration = Clock::now() - started;
  if (spec.keeps_box && is_given_up(compiled.ending))
    compiled.stopped = end_compiler(client, diagnostics);
  part.diagnostics = with_settled_names(diagnostics.text.text());
  part.truncated = diagnostics.text.truncated();
  if (compiled.ending.ok())
    put_ending(part, *compiled.ending);
  else
    part.timed_out = compiled.ending.error().code() == Errc::timed_out;
  return compiled;
}

}  // namespace lazaret::core
