#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "unit/runner_program/runner_process.hpp"

namespace lazaret::runner::test {

class RecordingSink final : public Sink {
 public:
  Status output(Stream stream, Bytes bytes) override {
    (stream == Stream::standard_output ? out : err) += text_of(bytes);
    if (on_output) on_output();
    return {};
  }
  void value(Bytes bytes) override { value_text += text_of(bytes); }
  void credit(std::uint32_t bytes) override {
    credited += bytes;
    if (on_credit) on_credit(bytes);
  }

  std::string out, err, value_text;
  std::uint64_t credited = 0;
  std::function<void()> on_output;
  std::function<void(std::uint32_t)> on_credit;
};

/// A runner that has greeted, and a place for its job.
struct Bench {
  Workplace place;
  RunnerProcess process;
  RecordingSink sink;
  Result<Greeting> greeting = process.client().greet(soon());

  Client& client() { return process.client(); }
  Job job(std::vector<std::string> argv) const {
    Job made;
    made.argv = std::move(argv);
    made.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
    made.working_directory = place.path();
    return made;
  }
  Status start(const Job& job) { return client().start(job, soon()); }
  Status start_shell(const std::string& script) { return start(job({"sh", "-c", script})); }
  Result<Ending> await(const Call& call = soon()) { return client().await(sink, call); }
  /// The ending of a shell script with no input; a failed start ends the test program's patience.
  Exited run_shell(const std::string& script) {
    EXPECT_TRUE(start_shell(script).ok());
    EXPECT_TRUE(client().end_stdin(soon()).ok());
    return exited();
  }
  Exited exited() {
    const auto ending = await();
    EXPECT_TRUE(ending.ok()) << (ending.ok() ? "" : ending.error().message());
    if (!ending.ok() || !std::holds_alternative<Exited>(*ending))
      return {Exited::How::exit, 9999, 0, 0};
    return std::get<Exited>(*ending);
  }
  Failed run_to_failure(const Job& job) {
    EXPECT_TRUE(start(job).ok());
    const auto ending = await();
    if (!ending.ok() || !std::holds_alternative<Failed>(*ending)) return {"did not fail", 0};
    return std::get<Failed>(*ending);
  }
};

}  // namespace lazaret::runner::test
