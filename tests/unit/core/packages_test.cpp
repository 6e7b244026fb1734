#include "core/packages.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/scratch.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class Layers : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    request_.packages.push_back(folder_.write(name, content).string());
    return request_.packages.back();
  }
  Result<PackageLayer> layer(const Installer& install) {
    return layer_of({request_, request_.language, limits_}, store_, install);
  }
  // As the installer's box would leave it, with `more` bytes than have come.
  Installer leaving(const std::string& text, std::size_t more = 0) {
    return [this, text, more](const ExecutionRequest& wanted) {
      ++installed_;
      const fs::path into = fs::path(*wanted.output_directory) / "packages";
      fs::create_directories(into);
      std::ofstream(into / "a.py") << text;
      ExecutionResult result;
      result.exit_code = 0;
      result.artifacts = {{"packages", Artifact::Kind::directory, 0, "", {}},
                          {"packages/a.py", Artifact::Kind::file, text.size(), "", {}}};
      result.value = R"({"files":1,"bytes":)" + std::to_string(text.size() + more) + "}";
      return result;
    };
  }
  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(store_))
      names.push_back(entry.path().filename().string());
    return names;
  }

  const lazaret::test::Scratch folder_;
  const fs::path store_ = folder_.path() / "store";
  const Limits limits_;
  ExecutionRequest request_;
  int installed_ = 0;
};

TEST_F(Layers, AreMadeOnceForTheSameFiles) {
  const std::string path = file("a-1.tar.gz", "one");
  const auto first = layer(leaving("x"));
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_TRUE(fs::exists(first->directory / "a.py"));
  EXPECT_EQ(layer(leaving("y"))->directory, first->directory);
  EXPECT_EQ(installed_, 1);
  EXPECT_EQ(first->packages.front().file, "a-1.tar.gz");
  std::ofstream(path) << "two";
  EXPECT_NE(layer(leaving("z"))->directory, first->directory);
  EXPECT_EQ(installed_, 2);
}

TEST_F(Layers, OfWhichNotAllHasComeAreNone) {
  file("a-1.tar.gz", "one");
  const auto made = layer(leaving("x", 1));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code(), Errc::start_failed);
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_TRUE(layer(leaving("x")).ok());
}

TEST_F(Layers, ThatCannotBeInstalledSayWhy) {
  file("a-1.tar.gz", "one");
  const auto failing = [](Cause cause, std::string said) {
    return [cause, said = std::move(said)](const ExecutionRequest&) {
      ExecutionResult result;
      result.exit_code = 1;
      result.meta.cause = cause;
      result.stderr_text = said;
      if (cause != Cause::nonzero_exit)
        result.error = ResultError{ErrorType::TimeoutError, "too slow", {}, {}};
      return result;
    };
  };
  const auto lacks = layer(failing(Cause::nonzero_exit, "ERROR: first\nERROR: No b\nnote\n"));
  EXPECT_THAT(lacks.error().message(), HasSubstr("installed: No b"));
  EXPECT_THAT(lacks.error().hint(), HasSubstr("no index"));
  const auto late = layer(failing(Cause::timeout, "ERROR: other\n"));
  EXPECT_THAT(late.error().message(), HasSubstr("too slow"));
  EXPECT_EQ(layer(failing(Cause::cancelled, "")).error().code(), Errc::cancelled);
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(Layers, NeedAPlaceThatCanBeWrittenTo) {
  file("a-1.tar.gz", "one");
  const auto nowhere = layer_of({request_, "python", limits_}, "", leaving("x"));
  EXPECT_THAT(nowhere.error().hint(), HasSubstr("HOME"));
  std::ofstream(store_) << "in the way";
  const auto made = layer(leaving("x"));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code(), Errc::system);
  EXPECT_THAT(made.error().hint(), HasSubstr("XDG_CACHE_HOME"));
  EXPECT_EQ(installed_, 0);
}

TEST_F(Layers, OfSomebodyWhoWasSoonerAreAsGood) {
  file("a-1.tar.gz", "one");
  const auto sooner = [this](const ExecutionRequest& wanted) {
    const auto other = layer(leaving("his"));
    EXPECT_TRUE(other.ok());
    return leaving("mine")(wanted);
  };
  const auto made = layer(sooner);
  ASSERT_TRUE(made.ok()) << made.error().message();
  std::string text;
  std::ifstream(made->directory / "a.py") >> text;
  EXPECT_EQ(text, "his");
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(Layers, TakeAwayWhatWasLeftHalfMadeADayAgo) {
  file("a-1.tar.gz", "one");
  const auto now = fs::file_time_type::clock::now();
  for (const char* const name : {".making-old", ".making-new"})
    fs::create_directories(store_ / name / "out");
  fs::last_write_time(store_ / ".making-old", now - std::chrono::hours(25));
  fs::last_write_time(store_ / ".making-new", now - std::chrono::hours(23));
  ASSERT_TRUE(layer(leaving("x")).ok());
  EXPECT_FALSE(fs::exists(store_ / ".making-old"));
  EXPECT_TRUE(fs::exists(store_ / ".making-new"));
}

TEST_F(Layers, OfAFileThatCannotBeReadAreNone) {
  request_.packages = {(folder_.path() / "gone-1.zip").string()};
  const auto made = layer(leaving("x"));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code(), Errc::not_found);
  EXPECT_THAT(made.error().message(), HasSubstr("gone-1.zip"));
}

}  // namespace
}  // namespace lazaret::core
