#include "lazaret/sandbox.hpp"

#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/service.hpp"

namespace lazaret {

class CodeSandbox::Body {
 public:
  explicit Body(std::unique_ptr<core::Service> service) : service_(std::move(service)) {}
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) {
    return service_->execute(request);
  }

 private:
  std::unique_ptr<core::Service> service_;
};

CodeSandbox::CodeSandbox(std::unique_ptr<Body> body) : body_(std::move(body)) {}
CodeSandbox::CodeSandbox(CodeSandbox&&) noexcept = default;
CodeSandbox& CodeSandbox::operator=(CodeSandbox&&) noexcept = default;
CodeSandbox::~CodeSandbox() = default;

ExecutionResult CodeSandbox::execute(const ExecutionRequest& request) const {
  return body_->execute(request);
}

Result<CodeSandbox> SandboxFactory::from_environment() { return with({}); }

Result<CodeSandbox> SandboxFactory::with(const SandboxOptions& options) {
  LAZARET_TRY(policy::Config config, core::load_config_here(options));
  return CodeSandbox(std::make_unique<CodeSandbox::Body>(core::make_service(std::move(config))));
}

}  // namespace lazaret
