#include <lazaret/lazaret.hpp>

#include <iostream>
#include <string>

namespace {

int complain(const std::string& why) {
  std::cerr << why << '\n';
  return 1;
}

// Of all that a session can, so that what the library does not give out is missed at the link.
int use_session(const lazaret::CodeSandbox& sandbox) {
  auto session = sandbox.open_session({});
  if (!session) return complain(session.error().message());
  lazaret::ExecutionRequest request;
  request.code = "print(open('made/said').read())";
  const bool put = session->put({{"said", "seen in a session", {}, false}}).ok() &&
                   session->append({{"said", " by a consumer", {}, false}}).ok() &&
                   session->make_directory("made").ok() && session->move("said", "made/said").ok();
  if (!put) return complain("the file was not put");
  std::cout << session->execute(request).stdout_text;
  const auto read = session->read("made/said", 0, 4);
  const auto list = session->list("made"), taken = session->get("made", std::nullopt);
  const auto contexts = session->contexts();
  if (!read || *read != "seen" || !list || list->size() != 1 || !taken || !contexts)
    return complain("the file was not seen");
  if (session->end_context("none").ok() || !session->remove("made").ok())
    return complain("what is there was not told from what is not");
  std::stop_source stop;
  stop.request_stop();
  (void)session->watch(".", [](const lazaret::FileChange&) {}, stop.get_token()).ok();
  const bool is_ready = session->state() == lazaret::SessionState::ready;
  const bool tells = session->evidence().size() == lazaret::all_controls().size();
  session->close();
  return is_ready && tells ? 0 : complain("the session does not tell of itself");
}

// What is written in configurations and results.
int use_names() {
  const bool all = lazaret::subprocess_named("deny") && lazaret::profile_named("strict") &&
                   lazaret::loopback_named("up") && lazaret::control_named("groups") &&
                   lazaret::degraded({}).empty();
  return all ? 0 : complain("a name is not known");
}

}  // namespace

int main() {
  auto sandbox = lazaret::SandboxFactory::from_environment();
  if (!sandbox) return complain(sandbox.error().message());
  lazaret::ExecutionRequest request;
  request.code = "print('seen by a consumer')";
  const auto result = sandbox->execute(request);
  std::cout << result.stdout_text;
  if (!result.success()) return complain(lazaret::to_json(result, 2));
  return use_names() + use_session(*sandbox);
}
