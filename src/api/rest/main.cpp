#include "api/rest/main.hpp"

#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/rest/gate.hpp"
#include "api/rest/server.hpp"
#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/garbage.hpp"
#include "os/pipe.hpp"
#include "os/user.hpp"

namespace lazaret::rest {
namespace {

constexpr const char* kAbout =
    "Serves runs to other programs, REST and JSON: over a Unix socket to those of the same user, "
    "over TCP to those who have a token.";

// Between looks at what the dead have left: doubled while nothing of it can be removed.
constexpr std::chrono::seconds kFirstPause{10}, kLongestPause{300};

struct Flags {
  cli::Common common;
  std::optional<std::string> socket;
  std::optional<std::string> place;
  std::optional<std::string> token_file;
  ServerOptions server;
};

void add_bounds(CLI::App& app, Bounds& bounds) {
  const auto positive = CLI::Range(1U, 100'000U);
  app.add_option("--runs", bounds.runs, "runs at the same time")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--queue", bounds.queue, "runs that may wait for their turn")
      ->check(CLI::Range(0U, 100'000U))
      ->capture_default_str();
  app.add_option("--sessions", bounds.sessions, "sessions at the same time")
      ->check(CLI::Range(0U, 100'000U))
      ->capture_default_str();
  app.add_option("--connections", bounds.connections, "connections at the same time")
      ->check(positive)
      ->capture_default_str();
  const auto seconds = [&app](const char* flag, std::chrono::seconds& target, const char* help) {
    app.add_option_function<unsigned>(
           flag, [&target](unsigned count) { target = std::chrono::seconds(count); }, help)
        ->check(CLI::Range(0U, 86'400U))
        ->default_str(std::to_string(target.count()));
  };
  seconds("--drain", bounds.drain, "seconds for runs to end by themselves at the daemon's end");
  seconds("--request-timeout", bounds.request, "seconds for a request to arrive");
  seconds("--write-timeout", bounds.write, "seconds for a client to take a part of its answer");
  seconds("--keep", bounds.kept, "seconds that results of detached runs are kept");
}

Status put_network(Flags& flags) {
  if (flags.place) {
    LAZARET_TRY(flags.server.place, place_of(*flags.place));
  }
  LAZARET_TRY(flags.server.token, find_token(flags.token_file));
  return {};
}

// What cannot be removed is told of once, but not where the daemon's end has cut it short. Whether
// something was.
bool clear_left(const backend::Surroundings& here, backend::Engines engines, const Call& call,
                std::set<std::string>& told) {
  bool was_removed = false;
  for (const auto& finding : core::sweep(here, {.engines = engines}, call)) {
    const bool is_removed = finding.fate == backend::Fate::removed;
    was_removed = was_removed || is_removed;
    const std::string sentence = core::sentence_of(finding);
    if (!is_removed && (!call.check().ok() || !told.insert(sentence).second)) continue;
    cli::note(sentence);
    if (!finding.hint.empty()) cli::note("hint: " + finding.hint);
  }
  return was_removed;
}

// What was left before, and what others leave on an engine while this daemon is there; nobody waits
// for it.
void keep_clear(const std::stop_token& stop, const backend::Surroundings& here) {
  const Call call{Deadline::never(), stop};
  std::set<std::string> told;
  (void)clear_left(here, backend::Engines::all, call, told);
  for (std::chrono::seconds pause = kFirstPause; !stop.stop_requested();) {
    (void)os::wait_ready({}, call.within(pause)).ok();
    if (stop.stop_requested()) return;
    const bool is_stuck = backend::is_anything_left(here) &&
                          !clear_left(here, backend::Engines::owing, call, told);
    pause = is_stuck ? std::min(2 * pause, kLongestPause) : kFirstPause;
  }
}

// Whoever has the token comes from anywhere, and may be given nothing of this machine unasked.
void narrow_for_strangers(policy::Config& config, const ServerOptions& server) {
  const bool said = config.source_of("mounts.allow").origin != policy::Origin::built_in;
  if (server.token && !said) config.mount_sources.clear();
}

int run(Flags& flags) {
  auto config = core::load_config_here(flags.common.sandbox);
  if (!config.ok()) return cli::complain(config.error(), cli::kUsage);
  flags.server.socket = core::daemon_socket();
  if (flags.socket) flags.server.socket = *flags.socket;
  if (flags.server.socket && flags.server.socket->empty()) flags.server.socket.reset();
  flags.server.log = cli::note;
  if (const Status set = put_network(flags); !set.ok())
    return cli::complain(set.error(), cli::kUsage);
  flags.server.fingerprints = {core::fingerprint(*config),
                               core::fingerprint(*config, core::Extent::packages)};
  narrow_for_strangers(*config, flags.server);
  flags.server.beside = [here = core::surroundings(*config)](const std::stop_token& stop) {
    keep_clear(stop, here);
  };
  const auto service = core::make_service(std::move(config).value());
  service->tell(flags.server.log);
  if (const Status kept = service->keep_ready(); !kept.ok())
    return cli::complain(kept.error(), cli::kUsage);
  const Status served = serve(*service, flags.server);
  return served.ok() ? 0 : cli::complain(served.error(), cli::kOurFailure);
}

}  // namespace

int main(int argc, const char* const* argv) {
  os::hold_standard_streams();
  CLI::App app(kAbout, "lazaret serve");
  Flags flags;
  flags.server.bounds.runs = 4 * os::processors();
  cli::add_sandbox(app, flags.common.sandbox);
  const auto text = [&app](const char* flag, auto& target, const char* help) {
    app.add_option_function<std::string>(
        flag, [&target](const std::string& value) { target = value; }, help);
  };
  text("--listen", flags.place, "TCP as well: ADDRESS:PORT, numeric; needs a token");
  text("--token-file", flags.token_file, "the bearer token for TCP (LAZARET_TOKEN)");
  text("--certificate", flags.server.certificate, "TLS on TCP: certificate and chain, PEM");
  text("--key", flags.server.key, "its key, PEM");
  app.add_option_function<std::string>(
      "--socket", [&flags](const std::string& path) { flags.socket = path; },
      "where to listen instead of $XDG_RUNTIME_DIR/lazaret/lazaret.sock (root: /run/lazaret);\n"
      "\"\" for no Unix socket");
  add_bounds(app, flags.server.bounds);
  os::ignore_broken_pipes();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : cli::kUsage;
  }
  return run(flags);
}

}  // namespace lazaret::rest
