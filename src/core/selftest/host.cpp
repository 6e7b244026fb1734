#include "core/selftest/host.hpp"

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/command.hpp"
#include "os/random.hpp"
#include "os/user.hpp"

namespace lazaret::embedded {
extern const std::string_view probes_sheet, probes_scene, probes_bare;
}  // namespace lazaret::embedded

namespace lazaret::core::selftest {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kSceneBound{10};
constexpr std::chrono::seconds kBareBound{60};
constexpr const char* kBareSeconds = "3";
constexpr std::size_t kMostCommandLine = 1UL << 16;
constexpr std::size_t kMostOutput = 4UL << 20;

// The host's python3, without what the user's variables would make of it.
Result<os::Command> python(std::string_view program, std::vector<std::string> arguments) {
  os::CommandRequest request;
  request.argv = {"python3", "-I", "-c", std::string(program)};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  for (const char* const name : {"PATH", "TMPDIR"}) {
    if (const auto value = os::variable(name)) {
      request.environment.push_back(std::string(name) + "=" + *value);
    }
  }
  return os::Command::start(std::move(request));
}

// Its output up to an end that `complete` sees, or to the end of all.
template <typename Complete>
Result<std::string> text_from(os::Command& command, Complete complete, const Call& call) {
  std::string text;
  std::array<std::byte, 16384> part{};
  while (!complete(text)) {
    LAZARET_TRY(const std::size_t count, command.read(part, call));
    if (count == 0) break;
    text += text_of(Bytes(part.data(), count));
    if (text.size() > kMostOutput) return Error(Errc::too_large, "too much output");
  }
  return text;
}

Result<std::string> output_of(std::string_view program, std::vector<std::string> arguments,
                              const Call& call) {
  LAZARET_TRY(os::Command command, python(program, std::move(arguments)));
  const Call bounded = call.within(kBareBound);
  LAZARET_TRY(std::string text, text_from(
                                    command, [](const std::string&) { return false; }, bounded));
  LAZARET_TRY(const os::CommandEnd end, command.finish(bounded));
  if (!end.good()) return Error(Errc::protocol, "the control run broke: " + command.error_tail());
  return text;
}

bool is_number(const std::string& name) {
  for (const char letter : name) {
    if (std::isdigit(static_cast<unsigned char>(letter)) == 0) return false;
  }
  return !name.empty();
}

// Empty for a zombie, and for what has ended meanwhile.
std::string command_line_of(const fs::path& process) {
  std::string line(kMostCommandLine, '\0');
  std::ifstream file(process / "cmdline", std::ios::binary);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line;
}

}  // namespace

struct Scene::Body {
  os::Command command;
  std::string facts;
};

Scene::Scene(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

Result<Scene> Scene::play(const Call& call) {
  LAZARET_TRY(os::Command command, python(embedded::probes_scene, {}));
  const auto line_ended = [](const std::string& text) { return text.find('\n') != text.npos; };
  LAZARET_TRY(std::string text, text_from(command, line_ended, call.within(kSceneBound)));
  if (!line_ended(text)) {
    return Error(Errc::protocol, "the scene could not be set: " + command.error_tail());
  }
  return Scene(std::make_unique<Body>(Body{std::move(command), std::move(text)}));
}

const std::string& Scene::facts() const noexcept { return body_->facts; }

std::string new_marker() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::string marker = "lazaretprobe";
  for (int index = 0; index < 16; ++index) marker += kLetters[os::random_word() % kLetters.size()];
  return marker;
}

Result<std::string> attempts_bare(const std::string& given, const Call& call) {
  return output_of(embedded::probes_sheet, {"bare", given}, call);
}

Result<std::string> program_bare(const std::string& code, const Call& call) {
  return output_of(embedded::probes_bare, {new_marker(), kBareSeconds, code}, call);
}

std::string_view sheet_program() noexcept { return embedded::probes_sheet; }

std::size_t processes_with(const std::string& marker) {
  std::size_t count = 0;
  std::error_code ignored;
  for (fs::directory_iterator at("/proc", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (!is_number(at->path().filename().string())) continue;
    if (command_line_of(at->path()).find(marker) != std::string::npos) ++count;
  }
  return count;
}

}  // namespace lazaret::core::selftest
