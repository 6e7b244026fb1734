#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/call.hpp"
#include "lazaret/result.hpp"

/// What the battery does on the host itself, by its own python3: the things that a box must not
/// reach, and the same attacks without any box.
namespace lazaret::core::selftest {

/// Files, credentials, listeners and a process that a box must not reach, for as long as this
/// lives. The thread that made it must live as long.
class Scene {
 public:
  /// Errors: not_found without python3, unsupported (Windows), timed_out, cancelled, protocol.
  [[nodiscard]] static Result<Scene> play(const Call& call);
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;
  ~Scene();
  /// Where everything is: a JSON object.
  [[nodiscard]] const std::string& facts() const noexcept;

 private:
  struct Body;
  explicit Scene(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

/// A word that occurs nowhere else on this machine.
[[nodiscard]] std::string new_marker();

/// Runs the sheet of attempts without a box; returns its answers as JSON. Errors: as Scene::play.
[[nodiscard]] Result<std::string> attempts_bare(const std::string& given, const Call& call);

/// Runs one program without a box for a few seconds; returns what was seen of it as JSON. Whatever
/// it leaves is ended. Errors: as Scene::play.
[[nodiscard]] Result<std::string> program_bare(const std::string& code, const Call& call);

/// The program that makes attempts, for a box.
[[nodiscard]] std::string_view sheet_program() noexcept;

/// Living processes of this machine with the word in their command line.
[[nodiscard]] std::size_t processes_with(const std::string& marker);

}  // namespace lazaret::core::selftest
