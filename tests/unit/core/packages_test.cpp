#include "core/packages.hpp"

#include <sys/stat.h>

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
    return layer_of({request_, request_.language, limits_, index_, hosts_}, store_, install);
  }
  // As the installer's box would leave it, and as if `more` bytes had not come.
  Installer leaving(const std::string& text, std::size_t more = 0) {
    return [this, text, more](const ExecutionRequest& wanted, policy::Streams) {
      ++installed_;
      const fs::path into = fs::path(*wanted.output_directory) / "packages";
      fs::create_directories(into);
      std::ofstream(into / "a.py") << text;
      std::ofstream(into.parent_path() / "whole") << "1 files, 1 bytes\n";  // in vain
      std::ofstream(into.parent_path() / "more");
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
  Limits limits_;
  ExecutionRequest request_;
  std::set<std::string> hosts_ = {"public"};
  PackageIndex index_{"", "PIP_INDEX_URL", {}};
  int installed_ = 0;
};

TEST_F(Layers, AreMadeOnceForTheSameFiles) {
  const std::string path = file("a-1.tar.gz", "one");
  const auto first = layer(leaving("x"));
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_TRUE(fs::exists(first->directory / "a.py"));
  EXPECT_FALSE(fs::exists(first->directory.parent_path() / "more"));
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
    return [cause, said = std::move(said)](const ExecutionRequest&, policy::Streams) {
      ExecutionResult result;
      result.exit_code = 1;
      result.meta.cause = cause;
      result.stderr_text = said;
      if (cause != Cause::nonzero_exit)
        result.error = ResultError{ErrorType::TimeoutError, "too slow", {}, {}};
      return result;
    };
  };
  const auto say = [&](const std::string& said) {
    return layer(failing(Cause::nonzero_exit, said)).error();
  };
  const Error lacks = say("ERROR: first\nERROR: No matching one found for b\nnote\n");
  EXPECT_THAT(lacks.message(), HasSubstr("installed: No matching one found for b"));
  EXPECT_THAT(lacks.hint(), HasSubstr("the file of that one"));
  EXPECT_THAT(say("ERROR: Exception:\nTraceback\nBadZipFile: no\n\n").message(),
              testing::EndsWith("installed: BadZipFile: no"));
  EXPECT_EQ(say("ERROR: Exception:\nTraceback\nBadZipFile: no\n\n").hint(), "");
  EXPECT_THAT(say("  error: one\n  > [1 lines of output]\n      no way\n      [end of output]\n\n"
                  "  note: not pip\nerror: two\n\nx three.\n\nhint: above\n")
                  .message(),
              testing::EndsWith("installed: no way"));
  EXPECT_LT(say("ERROR: " + std::string(5000, 'x')).message().size(), 600U);
  const auto late = layer(failing(Cause::timeout, "ERROR: other\n"));
  EXPECT_THAT(late.error().message(), HasSubstr("too slow"));
  EXPECT_THAT(late.error().hint(), HasSubstr("maxima"));
  EXPECT_EQ(layer(failing(Cause::cancelled, "")).error().code(), Errc::cancelled);
  EXPECT_EQ(layer(failing(Cause::enforcement_mismatch, "")).error().code(),
            Errc::enforcement_mismatch);
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(Layers, NeedAPlaceOfTheirOwn) {
  file("a-1.tar.gz", "one");
  const auto nowhere = layer_of({request_, "python", limits_, index_, hosts_}, "", leaving("x"));
  EXPECT_THAT(nowhere.error().hint(), HasSubstr("HOME"));
  const auto deep = layer_of({request_, "python", limits_, index_, hosts_},
                             store_ / std::string(250, 'a') / std::string(250, 'b') /
                                 std::string(250, 'c') / std::string(250, 'd'),
                             leaving("x"));
  EXPECT_EQ(deep.error().code(), Errc::backend_unavailable);
  EXPECT_THAT(deep.error().message(), HasSubstr("too long"));
  fs::permissions(store_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(layer(leaving("x")).error().code(), Errc::backend_unavailable);
  fs::remove_all(store_);
  std::ofstream(store_) << "in the way";
  EXPECT_FALSE(layer(leaving("x")).ok());
  EXPECT_EQ(installed_, 0);
}

TEST_F(Layers, AreForAllToReadAndForNobodyElseToChange) {
  file("a-1.tar.gz", "one");
  const mode_t before = ::umask(0);
  const auto open = layer(leaving("x"));
  ::umask(0077);
  file("b-1.tar.gz", "two");
  const auto closed = layer(leaving("y"));
  ::umask(before);
  for (const auto& made : {open, closed}) {
    ASSERT_TRUE(made.ok());
    struct stat folder {}, text {};
    ::stat(made->directory.c_str(), &folder);
    ::stat((made->directory / "a.py").c_str(), &text);
    EXPECT_EQ(folder.st_mode & 07777U, 0755U);
    EXPECT_EQ(text.st_mode & 07777U, 0644U);
  }
  EXPECT_EQ(fs::status(store_).permissions(), fs::perms::owner_all);
}

// What has been digested is what is installed.
TEST_F(Layers, AreInstalledFromCopies) {
  const std::string path = file("a-1.tar.gz", "one");
  const auto exchanging = [&](const ExecutionRequest& wanted, policy::Streams) {
    std::ofstream(path) << "two";
    std::string text;
    std::ifstream(*wanted.inputs.front().source) >> text;
    EXPECT_EQ(text, "one");
    return leaving("x")(wanted, policy::Streams::kept);
  };
  EXPECT_TRUE(layer(exchanging).ok());
}

TEST_F(Layers, AreInstalledAsTheRunIsHeldAndWithinTheMaxima) {
  file("a-1.tar.gz", "one");
  limits_.memory_bytes = 5ULL << 30;
  limits_.disk_bytes = 7ULL << 20;
  limits_.timeout = std::chrono::hours(1);
  request_.profile = Profile::strict;
  request_.subprocess = Subprocess::deny;
  request_.required_controls = {{Control::memory}};
  const auto looking = [&](const ExecutionRequest& wanted, policy::Streams) {
    EXPECT_EQ(wanted.profile, Profile::strict);
    EXPECT_EQ(wanted.subprocess, Subprocess::allow);
    EXPECT_EQ(wanted.required_controls, request_.required_controls);
    EXPECT_EQ(wanted.limits.memory_bytes, 1ULL << 30);
    EXPECT_EQ(wanted.limits.disk_bytes, 7ULL << 20);
    EXPECT_EQ(wanted.limits.timeout, std::chrono::minutes(5));
    return leaving("x")(wanted, policy::Streams::kept);
  };
  EXPECT_TRUE(layer(looking).ok());
}

TEST_F(Layers, AreMadeAnewWhereTheyAreNotWholeAnyMore) {
  file("a-1.tar.gz", "one");
  const auto first = layer(leaving("x"));
  ASSERT_TRUE(first.ok());
  fs::remove(first->directory / "a.py");
  const auto second = layer(leaving("y"));
  ASSERT_TRUE(second.ok()) << second.error().message();
  EXPECT_EQ(second->directory, first->directory);
  EXPECT_TRUE(fs::exists(second->directory / "a.py"));
  EXPECT_EQ(installed_, 2);
  fs::remove(second->directory.parent_path() / "whole");
  EXPECT_TRUE(layer(leaving("z")).ok());
  EXPECT_EQ(installed_, 3);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(Layers, AreMadeOfFilesThatAreNotTooLargeUnlessCancelled) {
  limits_.file_bytes = 3;
  file("a-1.tar.gz", "one");
  EXPECT_TRUE(layer(leaving("x")).ok());
  std::stop_source stop;
  stop.request_stop();
  request_.stop = stop.get_token();
  EXPECT_EQ(layer(leaving("x")).error().code(), Errc::cancelled);
  request_.stop = {};
  file("b-1.tar.gz", "four");
  EXPECT_EQ(layer(leaving("x")).error().code(), Errc::too_large);
}

TEST_F(Layers, OfSomebodyWhoWasSoonerAreAsGood) {
  file("a-1.tar.gz", "one");
  const auto sooner = [this](const ExecutionRequest& wanted, policy::Streams) {
    const auto other = layer(leaving("his"));
    EXPECT_TRUE(other.ok());
    return leaving("mine")(wanted, policy::Streams::kept);
  };
  const auto made = layer(sooner);
  ASSERT_TRUE(made.ok()) << made.error().message();
  std::string text;
  std::ifstream(made->directory / "a.py") >> text;
  EXPECT_EQ(text, "his");
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(Layers, TakeAwayWhatWasLeftHalfMadeAnHourAgo) {
  file("b-1.tar.gz", "one");
  ASSERT_TRUE(layer(leaving("x")).ok());
  file("a-1.tar.gz", "one");
  const auto now = fs::file_time_type::clock::now();
  for (const char* const name : {".making-old", ".making-new"})
    fs::create_directory(store_ / name);
  fs::last_write_time(store_ / ".making-old", now - std::chrono::minutes(61));
  fs::last_write_time(store_ / ".making-new", now - std::chrono::minutes(59));
  ASSERT_TRUE(layer(leaving("x")).ok());
  EXPECT_FALSE(fs::exists(store_ / ".making-old"));
  EXPECT_TRUE(fs::exists(store_ / ".making-new"));
}

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

TEST_F(Layers, OfAFileThatCannotBeReadAreNone) {
  request_.packages = {(folder_.path() / "gone-1.zip").string()};
  const auto made = layer(leaving("x"));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code(), Errc::not_found);
  EXPECT_THAT(made.error().message(), HasSubstr("gone-1.zip"));
}

}  // namespace
}  // namespace lazaret::core
