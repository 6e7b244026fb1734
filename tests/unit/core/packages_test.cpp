#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/package_store.hpp"
#include "unit/core/layers_bed.hpp"

namespace lazaret::core {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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

// What runs here need not run there.
TEST_F(Layers, AreOfOneInterpreter) {
  file("a-1.tar.gz", "one");
  const auto first = layer(leaving("x"));
  interpreter_ = "another image";
  EXPECT_NE(layer(leaving("x"))->directory, first->directory);
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
  const auto nowhere =
      layer_of({request_, "python", limits_, index_, hosts_, interpreter_}, {}, leaving("x"));
  EXPECT_THAT(nowhere.error().hint(), HasSubstr("HOME"));
  const auto deep = layer_of({request_, "python", limits_, index_, hosts_, interpreter_},
                             {store_ / std::string(250, 'a') / std::string(250, 'b') /
                              std::string(250, 'c') / std::string(250, 'd')},
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
    const pid_t other = ::fork();  // another process has another's turns
    if (other == 0) ::_exit(layer(leaving("his")).ok() ? 0 : 1);
    int status = -1;
    EXPECT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
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

// Eight at once are served by one; who goes meanwhile waits for nobody.
TEST_F(Layers, AreMadeOnceForAllWhoWantThemAtOnce) {
  file("a-1.tar.gz", "one");
  const Installer made = leaving("x");
  std::atomic<int> under_way = 0, well = 0;
  std::promise<void> begun;
  const Installer slow = [&](const ExecutionRequest& wanted, policy::Streams streams) {
    if (++under_way == 1) begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return made(wanted, streams);
  };
  std::vector<std::jthread> askers;
  for (int number = 0; number < 8; ++number)
    askers.emplace_back([&] { well += layer(slow).ok() ? 1 : 0; });
  begun.get_future().wait();
  ExecutionRequest leaving_one = request_;
  std::stop_source stop;
  (void)stop.request_stop();
  leaving_one.stop = stop.get_token();
  const PackageWish wish{leaving_one, leaving_one.language, limits_, index_, hosts_, interpreter_};
  const auto left = layer_of(wish, {store_}, slow);
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(left.error().code(), Errc::cancelled);
  askers.clear();
  EXPECT_EQ(well, 8);
  EXPECT_EQ(under_way, 1);
}

// Who installs is killed in the middle, and its layer is nobody's at once; the other's is his.
TEST_F(Layers, KnowWhoseMakerWasKilled_P45) {
  file("a-1.tar.gz", "one");
  ASSERT_TRUE(open_store(store_).ok());
  const auto living = Staging::in({store_, state_});
  ASSERT_TRUE(living.ok()) << living.error().message();
  EXPECT_THAT(abandoned_in(store_), IsEmpty());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto dying = [](const ExecutionRequest&, policy::Streams) {
      (void)::raise(SIGKILL);
      return ExecutionResult();
    };
    (void)layer(dying).ok();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto left = abandoned_in(store_);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front(), fs::path(fs::canonical(store_)) / left.front().filename());
  const backend::Leases leases(state_, "", journal::this_process());
  EXPECT_EQ(backend::stagings_left(leases), left);
  backend::settle_stagings(leases);  // it is still there
  EXPECT_EQ(backend::stagings_left(leases), left);
  ASSERT_TRUE(layer(leaving("x")).ok());
  EXPECT_THAT(abandoned_in(store_), IsEmpty());
  EXPECT_TRUE(fs::exists(living->files()));
  backend::settle_stagings(leases);
  EXPECT_THAT(backend::stagings_left(leases), IsEmpty());
}

TEST_F(Layers, StandInTheJournalWhileTheyAreMade_P45) {
  file("a-1.tar.gz", "one");
  const backend::Leases leases(state_, "", journal::this_process());
  std::vector<journal::Lease> rows;
  const Installer install = leaving("x");
  const auto looking = [&](const ExecutionRequest& wanted, policy::Streams streams) {
    rows = leases.all();
    EXPECT_EQ(fs::path(*wanted.output_directory).parent_path(), rows.at(0).thing.name);
    return install(wanted, streams);
  };
  ASSERT_TRUE(layer(looking).ok());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().thing.kind, journal::Kind::staging);
  EXPECT_THAT(leases.all(), IsEmpty());
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
