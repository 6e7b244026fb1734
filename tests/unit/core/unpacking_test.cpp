#include "core/unpacking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/base/tar_bed.hpp"
#include "unit/core/box_wire.hpp"

namespace lazaret::core {
namespace {

using lazaret::test::soon;
using lazaret::test::tar_entry;
using lazaret::test::tar_file;
using lazaret::test::tar_of;
using runner::Entry;
using runner::FrameType;
using runner::Placed;
using runner::test::FakeWire;
using runner::test::Heard;
using testing::ElementsAre;
using testing::HasSubstr;

/// A box that is told what to put.
class Unpacking : public testing::Test {
 protected:
  Status unpack(std::string archive, const std::string& directory = ".") {
    return unpack_from([&](const Call&) { return Result(std::exchange(archive, {})); }, directory);
  }
  Status unpack_from(const ArchiveSource& source, const std::string& directory = ".") {
    return core::unpack(client_, {directory, limits_}, source, {soon(), soon()});
  }
  // "file a 3", "program a 3", "directory a", "link a -> b", "remove a", and "end".
  [[nodiscard]] std::vector<std::string> told() {
    std::vector<std::string> told;
    bytes_ = 0;
    for (const Heard& frame : wire_.heard()) {
      const Bytes payload = bytes_of(frame.payload);
      if (frame.type == FrameType::put)
        told.push_back(word_of(runner::decode_entry(payload).value()));
      if (frame.type == FrameType::put_data) bytes_ += frame.payload.size();
      if (frame.type == FrameType::put_end) told.push_back("end");
      if (frame.type == FrameType::change)
        told.push_back("remove " + runner::decode_change(payload).value().path);
    }
    return told;
  }
  static std::string word_of(const Entry& entry) {
    const bool stays = entry.kind == Entry::Kind::directory;
    EXPECT_EQ(entry.existing, stays ? Entry::Existing::stays : Entry::Existing::gives_way);
    return test::words_of(entry);
  }
  [[nodiscard]] std::string refusal(const std::string& entry) {
    const Status status = unpack(tar_of(entry));
    EXPECT_TRUE(client_.is_in_step());
    return status.ok() ? "" : status.error().message();
  }

  Limits limits_;
  std::uint64_t bytes_ = 0;
  Placed answer_;
  FakeWire wire_{[this](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::put_end) wire.say(FrameType::placed, encode(answer_));
    if (frame.type == FrameType::change) wire.say(FrameType::placed, encode(Placed{}));
  }};
  runner::Client client_{wire_};
};

TEST_F(Unpacking, PutsWhatTheArchiveHolds) {
  const std::string archive =
      tar_of(tar_entry({.path = "d", .kind = TarKind::directory}) + tar_file("d/f", "text") +
             tar_entry({.path = "run", .mode = 0755}, "#!") +
             tar_entry({.path = "d/l", .kind = TarKind::link, .target = "../run"}));
  ASSERT_TRUE(unpack(archive).ok());
  EXPECT_THAT(told(), ElementsAre("directory d", "file d/f 4", "program run 2",
                                  "link d/l -> ../run", "end"));
}

TEST_F(Unpacking, PutsItIntoADirectoryThatIsMade) {
  ASSERT_TRUE(unpack(tar_of(tar_file("f", "")), "a/b").ok());
  EXPECT_THAT(told(), ElementsAre("directory a/b", "file a/b/f 0", "end"));
}

TEST_F(Unpacking, RefusesLinksThatLeadOutAndNamesThem) {
  for (const char* const target : {"/etc/passwd", "..", "../../x", "a/../../x"}) {
    EXPECT_EQ(refusal(tar_entry({.path = "l", .kind = TarKind::link, .target = target})),
              "\"l\": a link that leads out of the archive");
  }
  EXPECT_THAT(told(), testing::Each(testing::Eq("end")));
}

TEST_F(Unpacking, RefusesNamesThatNoFileCanHave) {
  EXPECT_EQ(refusal(tar_file(std::string(255, 'n'), "")), "");
  EXPECT_THAT(refusal(tar_file(std::string(256, 'n'), "")), HasSubstr("too long names"));
}

TEST_F(Unpacking, RefusesWhatTheBoxCannotHoldBeforeItIsSent) {
  limits_.file_bytes = 3;
  EXPECT_EQ(refusal(tar_file("a", "abc")), "");
  EXPECT_THAT(refusal(tar_file("b", "abcd")), HasSubstr("/work/b is larger than a file may be"));
  limits_.file_bytes = limits_.disk_bytes = 2;
  EXPECT_THAT(refusal(tar_file("c", "abc")), HasSubstr("no room for /work/c"));
  EXPECT_THAT(told(), ElementsAre("file a 3", "end", "end", "end"));
}

TEST_F(Unpacking, AsksTheBoxBeforeAllIsSent) {
  std::string many;
  for (int number = 0; number < 2500; ++number) many += tar_file(std::to_string(number), "");
  ASSERT_TRUE(unpack(tar_of(many)).ok());
  EXPECT_EQ(wire_.count(FrameType::put_end), 3U);
  answer_ = {"7", 28};
  EXPECT_THAT(refusal(many), HasSubstr("no room for /work/7"));
  EXPECT_EQ(wire_.count(FrameType::put), 2500U + 1000U);
}

TEST_F(Unpacking, RemovesTheFileThatThereIsNoRoomFor) {
  answer_ = {"a", 28};
  EXPECT_THAT(refusal(tar_file("a", "x")), HasSubstr("no room"));
  EXPECT_THAT(told(), ElementsAre("file a 1", "end", "remove a"));
}

TEST_F(Unpacking, RemovesNothingThatIsInTheWay) {
  answer_ = {"a", 21};  // EISDIR
  EXPECT_THAT(refusal(tar_file("a", "x")), HasSubstr("putting /work/a failed"));
  EXPECT_EQ(wire_.count(FrameType::change), 0U);
}

TEST_F(Unpacking, FillsUpAFileThatIsCutShortAndRemovesIt) {
  const Status cut =
      unpack(tar_file("a", "x") + tar_file("b", std::string(100'000, 'b')).substr(0, 700));
  EXPECT_EQ(cut.error().message(), "\"b\": the archive ends too early");
  EXPECT_THAT(told(), ElementsAre("file a 1", "file b 100000", "end", "remove b"));
  EXPECT_EQ(bytes_, 100'001U);
  EXPECT_TRUE(client_.is_in_step());
}

TEST_F(Unpacking, KeepsTheBoxInStepWhenTheSourceFails) {
  std::string begun = tar_file("a", std::string(100'000, 'a')).substr(0, 700);
  const Status failed = unpack_from([&](const Call&) -> Result<std::string> {
    if (begun.empty()) return Error(Errc::timed_out, "late");
    return std::exchange(begun, {});
  });
  EXPECT_EQ(failed.error().code(), Errc::timed_out);
  EXPECT_THAT(told(), ElementsAre("file a 100000", "end", "remove a"));
  EXPECT_EQ(bytes_, 100'000U);
  EXPECT_TRUE(client_.is_in_step());
}

}  // namespace
}  // namespace lazaret::core
