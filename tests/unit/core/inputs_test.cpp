#include "core/inputs.hpp"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tar.hpp"
#include "soon.hpp"
#include "unit/base/scratch.hpp"
#include "unit/core/box_wire.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using runner::Entry;
using runner::FrameType;
using runner::Placed;
using runner::test::FakeWire;
using runner::test::Heard;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Input text(std::string path, std::string content, bool executable = false) {
  return {std::move(path), std::move(content), {}, executable};
}
Input from(const fs::path& source, std::string path) {
  return {std::move(path), "", source.string(), false};
}

/// A box that is told what to put, and a directory of this machine's.
class PutInputs : public testing::Test {
 protected:
  Result<Placed> put(const std::vector<Input>& inputs, std::string_view code = "main.py") {
    return put_inputs(client_, {inputs, code, Entry::Existing::stays}, lazaret::test::soon());
  }
  // After one the box can be used all the same: what was begun has an end.
  Errc refusal(const Input& input) {
    const std::size_t before = wire_.count(FrameType::put_end);
    const auto placed = put({input});
    EXPECT_EQ(wire_.count(FrameType::put_end), before + 1);
    return placed.ok() ? Errc{} : placed.error().code();
  }
  // What the box was told, each file with its content behind a colon.
  [[nodiscard]] std::vector<std::string> told() {
    std::vector<std::string> told;
    for (const Heard& frame : wire_.heard()) {
      if (frame.type == FrameType::put)
        told.push_back(test::words_of(runner::decode_entry(bytes_of(frame.payload)).value()) + ":");
      if (frame.type == FrameType::put_data) told.back() += frame.payload;
    }
    return told;
  }

  lazaret::test::Scratch scratch_;
  Placed answer_;
  std::function<void(const Heard&)> when_heard_ = [](const Heard&) {};
  FakeWire wire_{[this](FakeWire& wire, const Heard& frame) {
    when_heard_(frame);
    if (frame.type == FrameType::put_end) wire.say(FrameType::placed, encode(answer_));
  }};
  runner::Client client_{wire_};
};

TEST_F(PutInputs, SaysNothingButTheEndOfNone) {
  EXPECT_EQ(put({}).value().os_error, 0);
  EXPECT_EQ(wire_.heard().size(), 1U);
}

TEST_F(PutInputs, PutsTextsInTheirOrder) {
  ASSERT_TRUE(
      put({text("b/c", "text"), text("a", "", true), text("z", std::string("\0", 1))}).ok());
  EXPECT_THAT(told(),
              ElementsAre("file b/c 4:text", "program a 0:", std::string("file z 1:\0", 10)));
}

std::string archive_of(const std::vector<std::pair<TarHead, std::string>>& entries) {
  std::string archive;
  for (auto [head, content] : entries) {
    head.size = content.size();
    archive += tar_head(head).value() + content;
    archive += tar_padding(content.size());
  }
  return archive += tar_end();
}

Input archive(std::string path, std::string content) {
  return {std::move(path), std::move(content), {}, false, true};
}

TEST_F(PutInputs, PutsWhatIsInAnArchiveAsItPutsADirectory) {
  const std::string all = archive_of({{{.path = "d", .kind = TarKind::directory}, ""},
                                      {{.path = "d/f", .mode = 0755}, "text"},
                                      {{.path = "d/l", .kind = TarKind::link, .target = "f"}, ""},
                                      {{.path = "main.py"}, "not the code"},
                                      {{.path = "main.pyc"}, ""}});
  ASSERT_TRUE(put({archive(".", all)}).ok());
  EXPECT_THAT(told(), ElementsAre("directory d:", "program d/f 4:text", "link d/l -> f:",
                                  "file main.pyc 0:"));
  ASSERT_TRUE(put({archive("e", all)}, "e/d").ok());
  EXPECT_THAT(told(), testing::IsSupersetOf({"directory e:", "file e/main.py 12:not the code"}));
  EXPECT_THAT(told(), testing::Not(testing::Contains(HasSubstr("e/d"))));
}

TEST_F(PutInputs, RefusesAnArchiveThatIsNone) {
  const std::string whole = archive_of({{{.path = "f"}, std::string(2000, 'x')}});
  EXPECT_EQ(refusal(archive("d", "no archive")), Errc::invalid_argument);
  EXPECT_EQ(refusal(archive("d", whole.substr(0, 1024))), Errc::invalid_argument);
  EXPECT_EQ(refusal(archive("d", archive_of({{{.path = "l", .kind = TarKind::link,
                                               .target = "../../etc"}, ""}}))),
            Errc::invalid_argument);
  EXPECT_EQ(refusal(archive(".", whole)), Errc{});
}

TEST_F(PutInputs, SaysWhatBecameOfThem) {
  answer_ = {"a", 28};
  const auto placed = put({text("a", "x")});
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->path, "a");
  EXPECT_EQ(placed->os_error, 28);
}

TEST_F(PutInputs, PutsAFileOfThisMachines) {
  const fs::path source = scratch_.write("a.csv", "1,2\n");
  const fs::path program = scratch_.write("run", "#!/bin/sh\n");
  fs::permissions(program, fs::perms::owner_all);
  ASSERT_TRUE(put({from(source, "data/b.csv"), from(program, "run")}).ok());
  EXPECT_THAT(told(), ElementsAre("file data/b.csv 4:1,2\n", "program run 10:#!/bin/sh\n"));
}

TEST_F(PutInputs, PutsALargeFileInPieces) {
  std::string large;
  while (large.size() < 3 * runner::kStreamBytes + 1)
    large += static_cast<char>('a' + large.size() % 26);
  ASSERT_TRUE(put({from(scratch_.write("large", large), "a")}).ok());
  EXPECT_THAT(told(), ElementsAre("file a " + std::to_string(large.size()) + ":" + large));
  EXPECT_EQ(wire_.count(FrameType::put_data), 4U);
}

TEST_F(PutInputs, FollowsTheLinkThatIsTheSourceItself) {
  scratch_.write("file", "text");
  fs::create_symlink("file", scratch_.at("link"));
  ASSERT_TRUE(put({from(scratch_.at("link"), "a")}).ok());
  EXPECT_THAT(told(), ElementsAre("file a 4:text"));
}

TEST_F(PutInputs, PutsADirectoryWithAllThatIsInIt) {
  scratch_.write("in/a", "1");
  scratch_.write("in/b/c/d", "22");
  fs::create_directories(scratch_.at("in/empty"));
  ASSERT_TRUE(put({from(scratch_.at("in"), ".")}).ok());
  EXPECT_THAT(told(), UnorderedElementsAre("file a 1:1", "directory b:", "directory b/c:",
                                           "file b/c/d 2:22", "directory empty:"));
}

TEST_F(PutInputs, PutsADirectoryWhereItIsToldTo) {
  scratch_.write("in/b/d", "22");
  ASSERT_TRUE(put({from(scratch_.at("in"), "data/x")}).ok());
  EXPECT_THAT(told(),
              ElementsAre("directory data/x:", "directory data/x/b:", "file data/x/b/d 2:22"));
}

TEST_F(PutInputs, PutsADirectoryWithASlashBehindItsName) {
  scratch_.write("in/a", "1");
  ASSERT_TRUE(put({from(scratch_.at("in/"), "x")}).ok());
  EXPECT_THAT(told(), ElementsAre("directory x:", "file x/a 1:1"));
}

TEST_F(PutInputs, LeavesTheCodesOwnFileOut) {
  scratch_.write("in/main.py", "old");
  scratch_.write("in/lib/main.py", "other");
  ASSERT_TRUE(put({from(scratch_.at("in"), ".")}).ok());
  EXPECT_THAT(told(), ElementsAre("directory lib:", "file lib/main.py 5:other"));
}

TEST_F(PutInputs, LeavesTheCodesOwnFileOutBelowAPathToo) {
  scratch_.write("in/main.py", "old");
  ASSERT_TRUE(put({from(scratch_.at("in"), "lib")}, "lib/main.py").ok());
  EXPECT_THAT(told(), ElementsAre("directory lib:"));
}

TEST_F(PutInputs, LeavesALinkInTheCodesPlaceOut) {
  fs::create_directories(scratch_.at("in"));
  fs::create_symlink("/etc/passwd", scratch_.at("in/main.py"));
  ASSERT_TRUE(put({from(scratch_.at("in"), ".")}).ok());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PutInputs, PutsLinksThatStayWithinAsLinks) {
  scratch_.write("in/b/c", "1");
  const std::pair<const char*, const char*> links[] = {{"to_file", "b/c"}, {"to_directory", "b"},
                                                       {"b/up", "../b/c"}, {"to_nothing", "absent"},
                                                       {"b/whole", ".."},  {"self", "self"}};
  for (const auto& [name, target] : links) fs::create_symlink(target, scratch_.at("in") / name);
  ASSERT_TRUE(put({from(scratch_.at("in"), ".")}).ok());
  EXPECT_THAT(told(), UnorderedElementsAre("directory b:", "file b/c 1:1",
                                           "link to_file -> b/c:", "link to_directory -> b:",
                                           "link b/up -> ../b/c:", "link to_nothing -> absent:",
                                           "link b/whole -> ..:", "link self -> self:"));
}

TEST_F(PutInputs, RefusesLinksThatLeadOut) {
  scratch_.write("outside", "secret");
  fs::create_directories(scratch_.at("in/b"));
  for (const std::string& target :
       {std::string("/etc/passwd"), std::string(".."), std::string("../outside"),
        std::string("b/../../outside"), scratch_.at("in/b").string()}) {
    SCOPED_TRACE(target);
    fs::create_symlink(target, scratch_.at("in/link"));
    EXPECT_EQ(refusal(from(scratch_.at("in"), "x")), Errc::invalid_argument);
    fs::remove(scratch_.at("in/link"));
  }
  fs::create_symlink("../../outside", scratch_.at("in/b/link"));
  EXPECT_EQ(refusal(from(scratch_.at("in"), "x")), Errc::invalid_argument);
}

// Nobody writes to the fifo: reading it would wait for ever.
TEST_F(PutInputs, RefusesWhatIsNeitherAFileNorADirectory) {
  fs::create_directories(scratch_.at("in"));
  ASSERT_EQ(::mkfifo(scratch_.at("in/fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(from(scratch_.at("in/fifo"), "a")), Errc::invalid_argument);
  EXPECT_EQ(refusal(from(scratch_.at("in"), "a")), Errc::invalid_argument);
  EXPECT_EQ(refusal(from("/dev/zero", "a")), Errc::invalid_argument);
}

TEST_F(PutInputs, RefusesAFileInTheWholesPlace) {
  EXPECT_EQ(refusal(from(scratch_.write("a", ""), ".")), Errc::invalid_argument);
}

TEST_F(PutInputs, NamesWhatIsNotThere) {
  const auto placed = put({text("a", "x"), from(scratch_.at("absent"), "b")});
  ASSERT_FALSE(placed.ok());
  EXPECT_EQ(placed.error().code(), Errc::not_found);
  EXPECT_THAT(placed.error().message(), HasSubstr("absent"));
}

TEST_F(PutInputs, SaysSoWhenAFileShrinksUnderTheReader) {
  const fs::path source = scratch_.write("a", std::string(100'000, 'x'));
  when_heard_ = [&source](const Heard& frame) {
    if (frame.type == FrameType::put) fs::resize_file(source, 10);
  };
  EXPECT_EQ(refusal(from(source, "a")), Errc::invalid_argument);
}

TEST_F(PutInputs, PutsNoMoreThanWasSaidOfAFileThatGrows) {
  const fs::path source = scratch_.write("a", "12345");
  when_heard_ = [&source](const Heard& frame) {
    if (frame.type == FrameType::put) std::ofstream(source, std::ios::app) << "67890";
  };
  ASSERT_TRUE(put({from(source, "a")}).ok());
  EXPECT_THAT(told(), ElementsAre("file a 5:12345"));
}

TEST_F(PutInputs, PassesTheTroubleOfTheWireOn) {
  wire_.refuse_writes(Errc::connection_lost);
  EXPECT_EQ(put({text("a", "x")}).error().code(), Errc::connection_lost);
}

TEST(LookForInputs, FindsThemOrNamesTheOneThatIsAbsent) {
  const lazaret::test::Scratch scratch;
  const fs::path file = scratch.write("in/a", "1");
  EXPECT_TRUE(look_for({}).ok());
  EXPECT_TRUE(look_for({text("a", "x"), from(file, "b"), from(scratch.at("in"), ".")}).ok());
  const Status found = look_for({from(file, "b"), from(scratch.at("absent"), "c")});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), Errc::not_found);
  EXPECT_THAT(found.error().message(), HasSubstr("absent"));
}

TEST(LookForInputs, DoesNotFindWhatALinkToNothingNames) {
  const lazaret::test::Scratch scratch;
  fs::create_symlink("absent", scratch.at("link"));
  EXPECT_EQ(look_for({from(scratch.at("link"), "a")}).error().code(), Errc::not_found);
  EXPECT_FALSE(look_for({from(scratch.write("file", "") / "below", "a")}).ok());
}

}  // namespace
}  // namespace lazaret::core
