#include <CLI/CLI.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "os/program.hpp"

namespace lazaret::cli {
namespace {

// The daemon is a program of its own beside this one: what it links would slow every start here.
int become_daemon(std::vector<std::string> words) {
  const auto self = os::own_program();
  if (!self.ok()) return complain(self.error(), kOurFailure);
  words.insert(words.begin(), "lazaret-serve");
  const auto daemon = self->parent_path() / "lazaret-serve";
  return complain(os::become(daemon, words).with_hint("it is installed beside lazaret, on Linux"),
                  kOurFailure);
}

}  // namespace

void add_serve(CLI::App& app, Common&, Action& chosen) {
  auto* const command =
      app.add_subcommand("serve", "serve runs over a socket: lazaret serve --help");
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, &chosen] {
    chosen = [words = command->remaining()] { return become_daemon(words); };
  });
}

}  // namespace lazaret::cli
