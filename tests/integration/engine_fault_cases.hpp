#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "integration/engine_proxy.hpp"
#include "lazaret/execution_result.hpp"

/// What may go wrong between us and an engine, and what a run must then say.
namespace lazaret::test {

/// Length of a marker, which is what the programs here are named by and write.
inline constexpr std::size_t kMarkerBytes = 16;

/// What became of the program, as far as we can know.
enum class Program {
  not_run,   ///< it was never handed over, and the result says so
  lost,      ///< it has begun; what it wrote may be cut, and the result says so
  complete,  ///< all that it wrote is there
};

struct FaultCase {
  std::string name;
  Fault fault;
  Program program = Program::complete;
  Cause cause = Cause::exited;
  std::string said = {};     ///< a part of the error's message
  std::string warning = {};  ///< a part of one of the warnings
  std::chrono::milliseconds open_within{20'000};
  std::chrono::milliseconds timeout{10'000};
  std::string code = "echo begin-$0; echo end-$0";
};

/// A case goes by its name wherever gtest shows it.
inline void PrintTo(const FaultCase& given, std::ostream* out) { *out << given.name; }

/// Something that goes wrong with any request.
struct Trouble {
  const char* name;
  Fault fault;  ///< its `at` is filled in
};

/// Each step of making a box, with each trouble that a request can have.
[[nodiscard]] std::vector<FaultCase> faults_while_making();
/// Answers that are whole and wrong.
[[nodiscard]] std::vector<FaultCase> wrong_answers();
/// The stream to the runner, cut, stalled and spoiled.
[[nodiscard]] std::vector<FaultCase> faults_of_the_stream();
/// Ending the program, waiting for it, and removing its container.
[[nodiscard]] std::vector<FaultCase> faults_while_ending();
/// The socket itself goes in the middle.
[[nodiscard]] std::vector<FaultCase> lost_sockets();
/// Bringing the runner to an engine that does not have it yet.
[[nodiscard]] std::vector<FaultCase> faults_while_filling();
/// Those of the above that are worth their time on Podman, and those that only Podman has.
[[nodiscard]] std::vector<FaultCase> faults_of_podman();

}  // namespace lazaret::test
