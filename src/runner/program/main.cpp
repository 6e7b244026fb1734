#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/init.hpp"
#include "os/pipe.hpp"
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
  return lazaret::runner::Supervisor(std::move(handles), subprocess).run();
}

}  // namespace

// Exit status 1: the wire broke the protocol or the system refused something; the host sees the
// end of the stream either way.
int main(int count, char** words) {
  constexpr lazaret::os::RawHandle kStandardError = 2;
  const lazaret::Status status = serve(count, words);
  if (status.ok()) return 0;
  const std::string line = "lazaret runner: " + status.error().message() + "\n";
  (void)lazaret::os::write_now(kStandardError, lazaret::bytes_of(line)).ok();
  return 1;
}
