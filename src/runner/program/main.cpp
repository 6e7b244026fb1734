#include <cstdio>

#include "os/init.hpp"
#include "runner/program/supervisor.hpp"

// Exit status 1: the wire broke the protocol or the system refused something; the host sees the
// end of the stream either way.
int main() {
  auto handles = lazaret::os::become_init();
  lazaret::Status status = handles.ok()
                               ? lazaret::runner::Supervisor(std::move(handles).value()).run()
                               : lazaret::Status(std::move(handles).error());
  if (status.ok()) return 0;
  std::fputs(("lazaret runner: " + status.error().message() + "\n").c_str(), stderr);
  return 1;
}
