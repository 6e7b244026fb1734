#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "core/artifacts.hpp"
#include "soon.hpp"
#include "unit/base/scratch.hpp"
#include "unit/core/box_wire.hpp"

namespace lazaret::core {
namespace {

using lazaret::test::soon;
using test::say_end;
using test::say_entry;
using test::say_file;

namespace fs = std::filesystem;
using runner::Entry;
using runner::FrameType;
using runner::test::FakeWire;
using runner::test::Heard;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// A box that gives what its function says once it is asked.
struct Box {
  explicit Box(std::function<void(FakeWire&)> gives)
      : wire([gives = std::move(gives)](FakeWire& runner, const Heard& frame) {
          if (frame.type == FrameType::get) gives(runner);
          runner.hang_up();
        }),
        client(wire) {}
  [[nodiscard]] runner::Get wish() {
    return runner::decode_get(bytes_of(wire.heard().front().payload)).value();
  }

  FakeWire wire;
  runner::Client client;
};

void give_two(FakeWire& wire) {
  say_entry(wire, Entry::Kind::directory, "d");
  say_file(wire, "d/a.txt", "text");
  say_end(wire);
}

TEST(ArtifactsOfABox, AreWrittenIntoADirectoryThatIsMade) {
  const lazaret::test::Scratch scratch;
  Box box(give_two);
  ArtifactTaker taker({scratch.at("new/deep"), false, 100});
  ASSERT_TRUE(taker.take_from(box.client, "out", soon()).ok());
  EXPECT_EQ(text_of_file(scratch.at("new/deep/d/a.txt")), "text");
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(2));
  EXPECT_EQ(box.wish().path, "out/");
  EXPECT_EQ(box.wish().most, 100'000U);
  EXPECT_EQ(box.wish().content, runner::Get::Content::whole);
}

// Somebody else writes there, too: the box gives all it has, and what is there stays as it is.
TEST(ArtifactsOfABox, AreTakenToTheirEndThoughOneCannotBeWritten) {
  const lazaret::test::Scratch scratch;
  Box box([&scratch](FakeWire& wire) {
    std::filesystem::create_directory(scratch.at("new/d"));
    give_two(wire);
  });
  ArtifactTaker taker({scratch.at("new"), false, 100});
  const Status taken = taker.take_from(box.client, "out", soon());
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code(), Errc::system);
  EXPECT_THAT(taken.error().message(), HasSubstr("it is there already"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.at("new/d")));
}

TEST(ArtifactsOfABox, AreKept) {
  Box box(give_two);
  ArtifactTaker taker({{}, true, 100});
  ASSERT_TRUE(taker.take_from(box.client, "out", soon()).ok());
  EXPECT_EQ(box.wish().content, runner::Get::Content::whole);
  EXPECT_EQ(std::move(taker).artifacts().at(1).content, "text");
}

TEST(ArtifactsOfABox, AreAskedForWithoutContentWhereNobodyWantsIt) {
  Box box([](FakeWire& wire) {
    say_entry(wire, Entry::Kind::file, "a");
    say_end(wire);
  });
  ArtifactTaker taker({{}, false, 100});
  ASSERT_TRUE(taker.take_from(box.client, "out", soon()).ok());
  EXPECT_EQ(box.wish().content, runner::Get::Content::none);
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(1));
}

TEST(ArtifactsOfABox, MakeTheDirectoryWhenThereAreNone) {
  const lazaret::test::Scratch scratch;
  Box box([](FakeWire& wire) { say_end(wire); });
  ArtifactTaker taker({scratch.at("new"), false, 100});
  ASSERT_TRUE(taker.take_from(box.client, "out", soon()).ok());
  EXPECT_TRUE(fs::is_empty(scratch.at("new")));
}

TEST(ArtifactsOfABox, AreNotAskedForWhereTheDirectoryIsInUse) {
  const lazaret::test::Scratch scratch;
  scratch.write("file", "mine");
  Box box(give_two);
  for (const fs::path& directory : {scratch.path(), scratch.at("file")}) {
    ArtifactTaker taker({directory, false, 100});
    EXPECT_EQ(taker.take_from(box.client, "out", soon()).error().code(), Errc::invalid_argument);
  }
  EXPECT_TRUE(box.wire.heard().empty());
  EXPECT_EQ(text_of_file(scratch.at("file")), "mine");
}

TEST(ArtifactsOfABox, AreWarnedOfWhenSomeWereLeftOut) {
  Box box([](FakeWire& wire) { say_end(wire, {0, 7}); });
  ArtifactTaker taker({{}, true, 100});
  ASSERT_TRUE(taker.take_from(box.client, "out", soon()).ok());
  EXPECT_THAT(taker.warnings(), ElementsAre(HasSubstr("7")));
}

TEST(ArtifactsOfABox, ThatLeadElsewhereEndTheTaking) {
  const lazaret::test::Scratch scratch;
  Box box([](FakeWire& wire) {
    say_file(wire, "a", "fine");
    say_file(wire, "../evil", "evil");
    say_file(wire, "b", "late");
    say_end(wire);
  });
  ArtifactTaker taker({scratch.at("new"), false, 100});
  EXPECT_EQ(taker.take_from(box.client, "out", soon()).error().code(), Errc::protocol);
  EXPECT_FALSE(fs::exists(scratch.at("evil")));
  EXPECT_FALSE(fs::exists(scratch.at("new/b")));
  EXPECT_EQ(text_of_file(scratch.at("new/a")), "fine");
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(1));
}

TEST(ArtifactsOfABox, EndBeforeTheBoxIsDone) {
  Box box([](FakeWire& wire) {
    say_entry(wire, Entry::Kind::file, "a");
    wire.say(FrameType::entry_data, "half");
    say_end(wire);
  });
  ArtifactTaker taker({{}, true, 100});
  EXPECT_EQ(taker.take_from(box.client, "out", soon()).error().code(), Errc::protocol);
}

TEST(ArtifactsOfABox, AreThoseThatCameBeforeItWasLost) {
  Box box([](FakeWire& wire) { say_file(wire, "a", "text"); });
  ArtifactTaker taker({{}, true, 100});
  EXPECT_EQ(taker.take_from(box.client, "out", soon()).error().code(), Errc::connection_lost);
  EXPECT_EQ(std::move(taker).artifacts().at(0).content, "text");
}

TEST(ArtifactsOfABox, ThatNeverEndAreBoundByWhatItCanHold) {
  FakeWire wire;
  say_entry(wire, Entry::Kind::file, "zeroes");
  wire.on_read([&wire] { wire.say(FrameType::entry_data, std::string(1000, '\0')); });
  runner::Client client(wire);
  ArtifactTaker taker({{}, true, 1 << 20});
  EXPECT_EQ(taker.take_from(client, "out", soon()).error().code(), Errc::too_large);
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(0)) << "a cut file is none";
}

}  // namespace
}  // namespace lazaret::core
