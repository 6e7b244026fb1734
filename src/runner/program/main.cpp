#include <cstdio>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "os/init.hpp"
#include "runner/message.hpp"
#include "runner/program/supervisor.hpp"

namespace {

// The only word it knows; what it is told otherwise is a mistake of ours.
lazaret::Result<lazaret::Subprocess> subprocess_in(int count, char** words) {
  using lazaret::Subprocess;
  if (count <= 1) return Subprocess::allow;
  if (count == 2 && words[1] == lazaret::runner::kDenySubprocess) return Subprocess::deny;
  return lazaret::Error(lazaret::Errc::invalid_argument, "unknown argument");
}

lazaret::Status serve(int count, char** words) {
  LAZARET_TRY(const lazaret::Subprocess subprocess, subprocess_in(count, words));
  LAZARET_TRY(auto handles, lazaret::os::become_init());
  constexpr auto kKnown = lazaret::os::Known::by_namespaces;
  return lazaret::runner::Supervisor(std::move(handles), subprocess, kKnown).run();
}

}  // namespace

// Exit status 1: the wire broke the protocol or the system refused something; the host sees the
// end of the stream either way.
int main(int count, char** words) {
  const lazaret::Status status = serve(count, words);
  if (status.ok()) return 0;
  std::fputs(("lazaret runner: " + status.error().message() + "\n").c_str(), stderr);
  return 1;
}
