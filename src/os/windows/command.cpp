#include "os/command.hpp"

namespace lazaret::os {

// Nothing that Lazaret calls exists here.
class Command::Body {};

Command::Command(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Command::Command(Command&&) noexcept = default;
Command& Command::operator=(Command&&) noexcept = default;
Command::~Command() = default;

Result<Command> Command::start(CommandRequest) {
  return Error(Errc::unsupported, "starting programs is not supported on Windows");
}

Result<std::size_t> Command::read(std::span<std::byte>, const Call&) {
  return Error(Errc::unsupported, "no program is running");
}

Result<CommandEnd> Command::finish(const Call&) {
  return Error(Errc::unsupported, "no program is running");
}

const std::string& Command::error_tail() const noexcept {
  static const std::string nothing;
  return nothing;
}

}  // namespace lazaret::os
