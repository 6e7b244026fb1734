#include "os/user.hpp"

#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "os/error.hpp"
#include "os/pipe.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

/// Puts a pipe in the place of standard input for as long as it lives.
class FedInput {
 public:
  FedInput() : before_(::GetStdHandle(STD_INPUT_HANDLE)) {
    auto ends = make_pipe();
    EXPECT_TRUE(ends.ok());
    out_ = std::move(ends->first);
    in_ = std::move(ends->second);
    ::SetStdHandle(STD_INPUT_HANDLE, out_.get());
  }
  FedInput(const FedInput&) = delete;
  FedInput& operator=(const FedInput&) = delete;
  ~FedInput() { ::SetStdHandle(STD_INPUT_HANDLE, before_); }

  void say(std::string_view text) { EXPECT_TRUE(write_now(in_.get(), bytes_of(text)).ok()); }
  void end() { in_.reset(); }

 private:
  HANDLE before_;
  Handle out_, in_;
};

TEST(WindowsUser, ReadsVariablesAsUtf8) {
  ::SetEnvironmentVariableW(L"LAZARET_TEST", L"gr\u00fcn \U0001F331");
  EXPECT_EQ(variable("LAZARET_TEST"), "gr\u00fcn \U0001F331");
}

TEST(WindowsUser, ReadsAVariableOfAnyLength) {
  ::SetEnvironmentVariableW(L"LAZARET_TEST", std::wstring(5000, L'x').c_str());
  EXPECT_EQ(variable("LAZARET_TEST"), std::string(5000, 'x'));
}

TEST(WindowsUser, TellsAnEmptyVariableFromAMissingOne) {
  ::SetEnvironmentVariableW(L"LAZARET_TEST", L"");
  EXPECT_EQ(variable("LAZARET_TEST"), "");
  ::SetEnvironmentVariableW(L"LAZARET_TEST", nullptr);
  EXPECT_EQ(variable("LAZARET_TEST"), std::nullopt);
}

TEST(WindowsUser, HasAHomeAndProcessorsButNoNumber) {
  EXPECT_FALSE(home_directory().empty());
  EXPECT_GE(processors(), 1U);
  EXPECT_EQ(user_id(), std::nullopt);
}

TEST(WindowsUser, ReadsStandardInputToItsEnd) {
  FedInput input;
  EXPECT_FALSE(is_terminal(0));
  input.say("some input");
  EXPECT_EQ(read_standard_input({}), "some input");
  input.end();
  EXPECT_EQ(read_standard_input({}), "");
}

TEST(WindowsUser, StopsReadingStandardInputWhenCancelled) {
  const FedInput input;
  std::stop_source stop;
  std::jthread other([&stop] { stop.request_stop(); });
  EXPECT_EQ(read_standard_input(stop.get_token()), "");
}

TEST(WindowsUser, EndsAWatchThatHeardNothing) {
  bool called = false;
  { const InterruptWatch watch([&called] { called = true; }); }
  EXPECT_FALSE(called);
}

TEST(WindowsError, GivesTheCommonCodesTheirKinds) {
  EXPECT_EQ(system_error("opening", ERROR_FILE_NOT_FOUND).code(), Errc::not_found);
  EXPECT_EQ(system_error("opening", ERROR_ACCESS_DENIED).code(), Errc::permission_denied);
  EXPECT_EQ(system_error("opening", ERROR_PIPE_BUSY).code(), Errc::conflict);
  EXPECT_EQ(system_error("writing", ERROR_BROKEN_PIPE).code(), Errc::connection_lost);
  EXPECT_EQ(system_error("opening", ERROR_TOO_MANY_OPEN_FILES).code(), Errc::system);
}

TEST(WindowsError, SaysWhatTheSystemSaysOnOneLineWithoutAPeriod) {
  const Error error = system_error("opening a file", ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(error.os_error(), ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(error.message().rfind("opening a file: ", 0), 0U);
  EXPECT_GT(error.message().size(), std::string("opening a file: ").size());
  EXPECT_TRUE(is_utf8(error.message()));
  EXPECT_EQ(error.message().find_first_of("\r\n"), std::string::npos);
  EXPECT_NE(error.message().back(), '.');
}

TEST(WindowsError, NamesACodeThatTheSystemDoesNotKnow) {
  EXPECT_EQ(system_error("calling", 0x2FFFFFFF).message(), "calling: unknown error");
}

}  // namespace
}  // namespace lazaret::os
