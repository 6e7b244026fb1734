#include <algorithm>

#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// Sessions: what a run in one costs, and a cell of an interpreter that is there.
namespace lazaret::bench {
namespace {

constexpr int kCells = 1000;

Session session_for(const std::string& language) {
  SessionRequest request;
  request.language = language;
  return must(sandbox_on(kNative).open_session(request), "a session");
}

void must_succeed_in(const Session& session, const ExecutionRequest& request) {
  if (!session.execute(request).success()) throw Failure("a run of a session has failed");
}

// One after another in the same context, whose interpreter is there.
void add_cells(Group& group, const std::string& language, int rounds) {
  const std::string name = "1,000 cells of " + language;
  const Session session = session_for(language);
  ExecutionRequest cell = python("1 + 1");
  cell.language = language;
  cell.context = "main";
  const auto work = [&] {
    for (int count = 0; count < kCells; ++count) must_succeed_in(session, cell);
  };
  for (Timing& timing : in_turns(std::max(rounds / 5, 3), {{name, Who::ours, work}}))
    group.timings.push_back(std::move(timing));
  const Timing* const timing = group.timing(name);
  if (timing == nullptr) return;
  group.figures.push_back({"a cell of " + language, timing->p50() / kCells, "ms", at_most(1)});
}

}  // namespace

Group session_group(int rounds) {
  constexpr const char* kBare = "true, bare";
  Group group{.title = "runs of a session, natively"};
  const Session session = session_for("python");
  const ExecutionRequest request = command({"true"});
  const std::string ours = "true, in a session";
  group.timings = in_turns(rounds, {{ours, Who::ours, [&] { must_succeed_in(session, request); }},
                                    {kBare, Who::bare, running({{"true"}})}});
  group.add_difference(ours, kBare, at_most(1));
  for (const char* const language : {"python", "javascript"}) add_cells(group, language, rounds);
  return group;
}

}  // namespace lazaret::bench
