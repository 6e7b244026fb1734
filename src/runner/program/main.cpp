#include <string>

#include "base/bytes.hpp"
#include "os/init.hpp"
#include "os/pipe.hpp"
#include "runner/program/supervisor.hpp"

// Exit status 1: the wire broke the protocol or the system refused something; the host sees the
// end of the stream either way.
int main() {
  constexpr lazaret::os::RawHandle kStandardError = 2;
  auto handles = lazaret::os::become_init();
  lazaret::Status status = handles.ok()
                               ? lazaret::runner::Supervisor(std::move(handles).value()).run()
                               : lazaret::Status(std::move(handles).error());
  if (status.ok()) return 0;
  const std::string line = "lazaret runner: " + status.error().message() + "\n";
  (void)lazaret::os::write_now(kStandardError, lazaret::bytes_of(line)).ok();
  return 1;
}
