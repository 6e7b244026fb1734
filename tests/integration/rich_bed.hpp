#pragma once

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace lazaret::test {

/// A session whose runs are the cells of one context.
class RichOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
    SessionRequest request;
    request.language = language();
    auto session = sandbox_->open_session(request);
    ASSERT_TRUE(session.ok()) << session.error().message();
    session_.emplace(std::move(session).value());
  }
  [[nodiscard]] virtual std::string language() const { return "python"; }
  [[nodiscard]] ExecutionRequest cell(const std::string& code) const {
    ExecutionRequest request = code_request(language(), code);
    request.context = "main";
    return request;
  }
  [[nodiscard]] ExecutionResult run(const std::string& code) const {
    return session_->execute(cell(code));
  }
  // The one thing that it shows, in its forms; those are of the last expression.
  [[nodiscard]] std::map<std::string, std::string> shown_by(const std::string& code) const {
    ExecutionResult result = run(code);
    EXPECT_EQ(result.rich.size(), 1U) << to_json(result);
    if (result.rich.size() != 1) return {};
    EXPECT_EQ(result.rich[0].source, RichResult::Source::value);
    EXPECT_FALSE(result.error.has_value()) << to_json(result);
    return std::move(result.rich[0].data);
  }

  std::optional<CodeSandbox> sandbox_;
  std::optional<Session> session_;
};

}  // namespace lazaret::test
