#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "engine/client.hpp"

/// The others, each asked for as little as its own manual lets a single-use box be.
namespace lazaret::bench {

/// An engine whose socket LAZARET_TEST_DOCKER or LAZARET_TEST_PODMAN names.
struct Engine {
  std::string type;      ///< "docker", "podman": the program of that name, too
  std::string endpoint;  ///< unix://…; empty where there is none, or none is needed

  /// Why nothing can be measured on it; empty where it can.
  [[nodiscard]] std::string missing() const;
  /// A command line of its own program, to its socket.
  [[nodiscard]] Program command(std::vector<std::string> words) const;
  /// `docker run` and its like: a container that is gone with its program, without a network.
  [[nodiscard]] Program run(const std::string& image, const std::vector<std::string>& argv) const;
};
inline const Engine kNative = {"local", ""};
[[nodiscard]] Engine docker_engine();
[[nodiscard]] Engine podman_engine();
[[nodiscard]] engine::EngineClient client_of(const Engine& engine);

inline constexpr const char* kPythonImage = "lazaret/python:latest";

/// A container that stays, for `docker exec`, until it is destroyed.
class StandingContainer {
 public:
  explicit StandingContainer(const Engine& engine);
  StandingContainer(const StandingContainer&) = delete;
  StandingContainer& operator=(const StandingContainer&) = delete;
  ~StandingContainer();

  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  engine::EngineClient client_;
  std::string id_;
};

inline constexpr const char* kBubblewrap = "bubblewrap, all namespaces";

/// The work in what a sandbox of that name makes of a command; missing where it is not installed.
[[nodiscard]] Candidate bubblewrap(const std::vector<std::string>& argv, std::string output);
[[nodiscard]] Candidate nsjail(const std::vector<std::string>& argv, std::string output);
/// Its box is made before, so that only `isolate --run` is measured, and taken back at the end.
[[nodiscard]] Candidate isolate(const std::vector<std::string>& argv, std::string output);

}  // namespace lazaret::bench
