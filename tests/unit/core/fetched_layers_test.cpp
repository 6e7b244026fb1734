#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/layers_bed.hpp"

namespace lazaret::core {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// As the box that fetches them would leave it: one file, or none where nobody answers.
class FetchedLayers : public Layers {
 protected:
  Result<PackageLayer> fetched(bool answers = true) {
    return layer([this, answers](const ExecutionRequest& wanted, policy::Streams streams) {
      if (!wanted.stdin_source) return leaving("x")(wanted, streams);
      ++asked_;
      seen_ = wanted;
      ExecutionResult result;
      if (!answers) {
        result.exit_code = 1;
        result.meta.cause = Cause::nonzero_exit;
        result.stderr_text = "ERROR: nobody\n";
        return result;
      }
      const fs::path into = fs::path(*wanted.output_directory) / "packages";
      fs::create_directories(into);
      std::ofstream(into / name_) << "content";
      result.exit_code = 0;
      result.value = R"({"files":1,"bytes":7})";
      return result;
    });
  }
  std::string name_ = "six-1.16.0-py2.py3-none-any.whl";
  ExecutionRequest seen_;
  int asked_ = 0;
};

TEST_F(FetchedLayers, AreAskedForOnceWhereTheWordsAreExact) {
  request_.packages = {"six==1.16.0"};
  std::vector<std::string> told;
  request_.on_progress = [&told](std::string_view what) { told.emplace_back(what); };
  const auto first = fetched();
  ASSERT_TRUE(first.ok()) << first.error().message();
  ASSERT_EQ(first->packages.size(), 1U);
  EXPECT_EQ(first->packages.front().version, "1.16.0");
  const auto again = fetched(false);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->directory, first->directory);
  EXPECT_EQ(again->packages.front().sha256, first->packages.front().sha256);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(installed_, 1);
  EXPECT_EQ(told, (std::vector<std::string>{"fetching packages", "installing packages"}));
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(FetchedLayers, AreAskedForAgainAfterADayWhereTheyAreNot) {
  request_.packages = {"six>=1"};
  ASSERT_TRUE(fetched().ok());
  const auto age = [this](std::chrono::minutes minutes) {
    for (const std::string& name : kept()) {
      if (name.starts_with("lock-"))
        fs::last_write_time(store_ / name, fs::file_time_type::clock::now() - minutes);
    }
  };
  age(std::chrono::minutes(24 * 60 - 1));
  EXPECT_TRUE(fetched(false).ok());
  age(std::chrono::minutes(24 * 60 + 1));
  const auto late = fetched(false);
  ASSERT_FALSE(late.ok());
  EXPECT_THAT(late.error().message(), HasSubstr("cannot be fetched: nobody"));
  EXPECT_EQ(asked_, 2);
  EXPECT_TRUE(fetched().ok());
  EXPECT_TRUE(fetched(false).ok());
}

TEST_F(FetchedLayers, AreOfThoseWordsAndThatIndexAlone) {
  request_.packages = {"six==1.16.0"};
  ASSERT_TRUE(fetched().ok());
  request_.packages = {"six==1.16.1"};
  EXPECT_FALSE(fetched(false).ok());
  request_.packages = {"six==1.16.0"};
  index_.url = "http://127.0.0.1:1/";
  EXPECT_FALSE(fetched(false).ok());
  for (const char* const url :
       {"x", "ftp://a/", "http://", "https://a b/", "http://a:0/", "http://a\n"}) {
    index_.url = url;
    EXPECT_EQ(fetched().error().code(), Errc::invalid_argument) << url;
    EXPECT_THAT(fetched().error().message(), HasSubstr("PIP_INDEX_URL"));
  }
}

TEST_F(FetchedLayers, AreMadeAnewWhereTheLockIsNoneOrTheLayerIsGone) {
  request_.packages = {"six==1.16.0"};
  const auto first = fetched();
  ASSERT_TRUE(first.ok());
  fs::remove_all(first->directory);
  EXPECT_TRUE(fetched().ok());
  EXPECT_EQ(asked_, 2);
  for (const std::string& name : kept()) {
    if (name.starts_with("lock-")) std::ofstream(store_ / name) << R"({"layer":7})";
  }
  EXPECT_TRUE(fetched().ok());
  EXPECT_EQ(asked_, 3);
}

// With their locks; what is used stays, however long ago it was made.
TEST_F(FetchedLayers, GoWhenNobodyHasUsedThemForThirtyDays) {
  const auto make = [this](const std::string& version) {
    name_ = "six-" + version + "-py2.py3-none-any.whl";
    request_.packages = {"six==" + version};
    return fetched().value().directory;
  };
  const fs::path used = make("1.16.0"), unused = make("1.16.1");
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(30 * 24 + 1);
  for (const std::string& name : kept())
    fs::last_write_time(store_ / (name.starts_with("lock-") ? name : name + "/whole"), then);
  EXPECT_EQ(make("1.16.0"), used);  // from here on it is in use
  (void)make("1.16.2");
  EXPECT_TRUE(fs::exists(used));
  EXPECT_FALSE(fs::exists(unused));
  EXPECT_EQ(kept().size(), 4U);
}

TEST_F(FetchedLayers, HaveFilesOfPackagesAlone) {
  request_.packages = {"six"};
  for (const char* const name : {"surprise.py", "six-1.16.0.tar.gz", "six-1.16.0.zip"}) {
    name_ = name;
    const auto made = fetched();
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.error().message(), HasSubstr(name));
  }
  EXPECT_THAT(kept(), IsEmpty());
}

// The box that asks has no network; its loopback leads to us.
TEST_F(FetchedLayers, AreAskedForByABoxThatIsGivenWhatItNeeds) {
  file("own-1-py3-none-any.whl", "one");
  request_.packages.emplace_back("six");
  request_.packages.emplace_back("seven>1");
  index_.url = "https://me:secret@index.example:8443/simple";
  ASSERT_TRUE(fetched().ok());
  EXPECT_EQ(seen_.loopback, Loopback::up);
  EXPECT_EQ(seen_.subprocess, Subprocess::deny);
  EXPECT_EQ(seen_.limits.timeout, limits_.timeout);
  ASSERT_EQ(seen_.inputs.size(), 4U);
  EXPECT_EQ(seen_.inputs[0].path, "packages/own-1-py3-none-any.whl");
  EXPECT_EQ(seen_.inputs[1].content, "six\nseven>1\n");
  EXPECT_EQ(seen_.inputs[2].content, index_.url);
}

}  // namespace
}  // namespace lazaret::core
