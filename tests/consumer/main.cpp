#include <lazaret/lazaret.hpp>

#include <iostream>

int main() {
  auto sandbox = lazaret::SandboxFactory::from_environment();
  if (!sandbox) {
    std::cerr << sandbox.error().message() << '\n';
    return 1;
  }
  lazaret::ExecutionRequest request;
  request.code = "print('seen by a consumer')";
  const auto result = sandbox->execute(request);
  std::cout << result.stdout_text;
  if (!result.success()) std::cerr << lazaret::to_json(result, 2) << '\n';
  return result.success() ? 0 : 1;
}
