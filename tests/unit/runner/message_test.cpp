#include "runner/message.hpp"

#include <string>

#include <gtest/gtest.h>

#include "runner/frame.hpp"
#include "unit/runner/message_bed.hpp"

namespace lazaret::runner {
namespace {

using Encoded = std::vector<std::byte>;
using test::expect_only_whole;

Job sample_job() {
  return {.argv = {"python3", "-c", "print('\xC3\xA4')", ""},
          .environment = {"PATH=/bin", "EMPTY="},
          .working_directory = "/work",
          .files = {{"/work/main.py", "x = 1\n"}, {"/work/empty", ""}},
          .cpu_seconds = 7,
          .word = std::string("/work/main.py\0x", 15),
          .farewell = "bye"};
}

Entry sample_entry() {
  return {.kind = Entry::Kind::link,
          .executable = true,
          .size = ~0ULL,
          .path = std::string("data/line\nbreak \xFF\0x", 19),
          .target = "../elsewhere"};
}

void number(Encoded& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::byte>(value >> shift & 0xFF));
}

TEST(HelloMessage, ComesBackAsItWas) {
  const auto hello = decode_hello(encode(Hello{0xFFFF, 0xFFFFFFFF}));
  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(hello->version, 0xFFFF);
  EXPECT_EQ(hello->pid, 0xFFFFFFFF);
}

TEST(HelloMessage, BeginsWithTheMagic) {
  const Encoded bytes = encode(Hello{1, 1});
  EXPECT_EQ(text_of(Bytes(bytes).first(4)), "LZRN");
  EXPECT_EQ(bytes.size(), 10U);
}

TEST(HelloMessage, IsRefusedWithAnyOtherMagic) {
  for (std::size_t index = 0; index < 4; ++index) {
    SCOPED_TRACE(index);
    Encoded bytes = encode(Hello{1, 1});
    bytes[index] ^= std::byte{1};
    EXPECT_EQ(decode_hello(bytes).error().code(), Errc::protocol);
  }
}

TEST(HelloMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(Hello{1, 1}), decode_hello);
}

TEST(JobMessage, ComesBackAsItWas) {
  const Job sent = sample_job();
  const auto job = decode_job(encode(sent));
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->argv, sent.argv);
  EXPECT_EQ(job->environment, sent.environment);
  EXPECT_EQ(job->working_directory, "/work");
  ASSERT_EQ(job->files.size(), 2U);
  EXPECT_EQ(job->files[0].path, "/work/main.py");
  EXPECT_EQ(job->files[0].content, "x = 1\n");
  EXPECT_EQ(job->files[1].content, "");
  EXPECT_EQ(job->cpu_seconds, 7U);
  EXPECT_EQ(job->word, sample_job().word);
  EXPECT_EQ(job->farewell, sample_job().farewell);
}

TEST(JobMessage, IsRefusedCutOrLengthened) { expect_only_whole(encode(sample_job()), decode_job); }

TEST(JobMessage, IsRefusedWithoutAProgram) {
  Job job = sample_job();
  job.argv.clear();
  EXPECT_EQ(decode_job(encode(job)).error().code(), Errc::protocol);
}

TEST(JobMessage, TakesListsAtTheirLimitAndRefusesOneMore) {
  Job job;
  job.argv.assign(4096, "a");
  EXPECT_TRUE(decode_job(encode(job)).ok());
  job.argv.assign(4097, "a");
  EXPECT_FALSE(decode_job(encode(job)).ok());
}

TEST(JobMessage, TakesFilesAtTheirLimitAndRefusesOneMore) {
  Job job;
  job.argv = {"a"};
  job.files.assign(4096, {"f", ""});
  EXPECT_TRUE(decode_job(encode(job)).ok());
  job.files.assign(4097, {"f", ""});
  EXPECT_FALSE(decode_job(encode(job)).ok());
}

TEST(JobMessage, IsRefusedWhenItCountsMoreThanItHolds) {
  for (const std::uint32_t count : {2U, 4096U, 4097U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    SCOPED_TRACE(count);
    Encoded bytes;
    number(bytes, count);
    number(bytes, 1);
    bytes.push_back(std::byte{'a'});
    EXPECT_EQ(decode_job(bytes).error().code(), Errc::protocol);
  }
}

TEST(JobMessage, IsRefusedWhenATextIsLongerThanTheRest) {
  for (const std::uint32_t length : {1U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    SCOPED_TRACE(length);
    Encoded bytes;
    number(bytes, 1);
    number(bytes, length);
    EXPECT_EQ(decode_job(bytes).error().code(), Errc::protocol);
  }
}

TEST(ExitedMessage, ComesBackAsItWas) {
  const Exited sent{Exited::How::signal, 9, ~0ULL, 1ULL << 40, true, Exited::Full::files, true};
  const auto exited = decode_exited(encode(sent));
  ASSERT_TRUE(exited.ok());
  EXPECT_EQ(exited->how, Exited::How::signal);
  EXPECT_EQ(exited->code, 9U);
  EXPECT_EQ(exited->cpu_us, ~0ULL);
  EXPECT_EQ(exited->peak_rss_kib, 1ULL << 40);
  EXPECT_TRUE(exited->has_artifacts);
  EXPECT_EQ(exited->full, Exited::Full::files);
  EXPECT_TRUE(exited->keeps_context);
  EXPECT_FALSE(decode_exited(encode(Exited{})).value().has_artifacts);
}

TEST(ExitedMessage, FitsIntoItsFrame) {
  EXPECT_LE(encode(Exited{}).size(), payload_cap(FrameType::exited));
}

TEST(ExitedMessage, IsRefusedWithArtifactsThatAreNeitherThereNorNot) {
  for (const int answer : {2, 255}) {
    Encoded bytes = encode(Exited{});
    bytes[bytes.size() - 3] = static_cast<std::byte>(answer);
    EXPECT_EQ(decode_exited(bytes).error().code(), Errc::protocol) << answer;
  }
}

TEST(ExitedMessage, IsRefusedFullOfSomethingUnknown) {
  for (const int answer : {4, 255}) {
    Encoded bytes = encode(Exited{});
    bytes[bytes.size() - 2] = static_cast<std::byte>(answer);
    EXPECT_EQ(decode_exited(bytes).error().code(), Errc::protocol) << answer;
  }
}

TEST(ExitedMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(Exited{Exited::How::exit, 3, 4, 5}), decode_exited);
}

TEST(ExitedMessage, TakesEveryStatusToTheLimitAndNoneBeyond) {
  EXPECT_TRUE(decode_exited(encode(Exited{Exited::How::exit, 0, 0, 0})).ok());
  EXPECT_TRUE(decode_exited(encode(Exited{Exited::How::exit, 255, 0, 0})).ok());
  EXPECT_FALSE(decode_exited(encode(Exited{Exited::How::exit, 256, 0, 0})).ok());
  EXPECT_TRUE(decode_exited(encode(Exited{Exited::How::signal, 64, 0, 0})).ok());
  EXPECT_FALSE(decode_exited(encode(Exited{Exited::How::signal, 65, 0, 0})).ok());
}

TEST(ExitedMessage, IsRefusedWithAnUnknownWayToEnd) {
  Encoded bytes = encode(Exited{});
  bytes[0] = std::byte{2};
  EXPECT_FALSE(decode_exited(bytes).ok());
}

TEST(FailedMessage, ComesBackAsItWas) {
  const auto failed = decode_failed(encode(Failed{"exec", 2}));
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->step, "exec");
  EXPECT_EQ(failed->os_error, 2);
  EXPECT_EQ(decode_failed(encode(Failed{"", -1}))->os_error, -1);
}

TEST(FailedMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(Failed{"chdir", 13}), decode_failed);
}

TEST(FailedMessage, TakesAStepOf64BytesAndNone65) {
  EXPECT_TRUE(decode_failed(encode(Failed{std::string(64, 's'), 1})).ok());
  EXPECT_FALSE(decode_failed(encode(Failed{std::string(65, 's'), 1})).ok());
}

TEST(NumberMessage, ComesBackAsItWas) {
  EXPECT_EQ(decode_number(encode(0xFEDCBA98U)).value(), 0xFEDCBA98U);
  expect_only_whole(encode(15U), decode_number);
}

TEST(EntryMessage, ComesBackAsItWas) {
  const Entry sent = sample_entry();
  const auto entry = decode_entry(encode(sent));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry->kind, Entry::Kind::link);
  EXPECT_TRUE(entry->executable);
  EXPECT_EQ(entry->size, ~0ULL);
  EXPECT_EQ(entry->path, sent.path);
  EXPECT_EQ(entry->target, sent.target);
}

TEST(EntryMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(sample_entry()), decode_entry);
}

TEST(EntryMessage, HasFourKindsAndNoFifth) {
  Encoded bytes = encode(sample_entry());
  for (int kind = 0; kind < 256; ++kind) {
    bytes[0] = static_cast<std::byte>(kind);
    const auto entry = decode_entry(bytes);
    ASSERT_EQ(entry.ok(), kind <= 3) << kind;
    if (!entry.ok()) continue;
    EXPECT_EQ(static_cast<int>(entry->kind), kind);
  }
}

TEST(EntryMessage, SaysInThreeWaysWhatBecomesOfWhatIsThere) {
  Encoded bytes = encode(sample_entry());
  for (int existing = 0; existing < 256; ++existing) {
    bytes.back() = static_cast<std::byte>(existing);
    const auto entry = decode_entry(bytes);
    ASSERT_EQ(entry.ok(), existing <= 2) << existing;
    if (!entry.ok()) continue;
    EXPECT_EQ(static_cast<int>(entry->existing), existing);
  }
}

TEST(EntryMessage, IsExecutableOrNot) {
  Encoded bytes = encode(sample_entry());
  bytes[1] = std::byte{0};
  EXPECT_FALSE(decode_entry(bytes).value().executable);
  bytes[1] = std::byte{2};
  EXPECT_EQ(decode_entry(bytes).error().code(), Errc::protocol);
}

TEST(EntryMessage, NamesSomething) {
  Entry entry = sample_entry();
  entry.target.clear();
  EXPECT_TRUE(decode_entry(encode(entry)).ok());
  entry.path.clear();
  EXPECT_EQ(decode_entry(encode(entry)).error().code(), Errc::protocol);
}

TEST(EntryMessage, TakesPathsAndTargetsAtTheirLimitAndNoneBeyond) {
  Entry entry = sample_entry();
  entry.path.assign(kPathBytes, 'p');
  entry.target.assign(kPathBytes, 't');
  EXPECT_TRUE(decode_entry(encode(entry)).ok());
  EXPECT_LE(encode(entry).size(), payload_cap(FrameType::put));
  EXPECT_LE(encode(entry).size(), payload_cap(FrameType::entry));
  entry.target += 't';
  EXPECT_FALSE(decode_entry(encode(entry)).ok());
  entry.target.clear();
  entry.path += 'p';
  EXPECT_FALSE(decode_entry(encode(entry)).ok());
}

TEST(PlacedMessage, ComesBackAsItWas) {
  const auto placed = decode_placed(encode(Placed{"data/a", 28}));
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->path, "data/a");
  EXPECT_EQ(placed->os_error, 28);
  EXPECT_EQ(decode_placed(encode(Placed{}))->os_error, 0);
  EXPECT_EQ(decode_placed(encode(Placed{"a", -1}))->os_error, -1);
}

TEST(PlacedMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(Placed{"data/a", 28}), decode_placed);
}

TEST(PlacedMessage, TakesAPathAtTheLimitAndNoneBeyond) {
  const Encoded longest = encode(Placed{std::string(kPathBytes, 'p'), 1});
  EXPECT_TRUE(decode_placed(longest).ok());
  EXPECT_LE(longest.size(), payload_cap(FrameType::placed));
  EXPECT_FALSE(decode_placed(encode(Placed{std::string(kPathBytes + 1, 'p'), 1})).ok());
}

const Change kMove{Change::Kind::move, "a", "b/c"};

TEST(ChangeMessage, ComesBackAsItWas) {
  const auto moved = decode_change(encode(kMove));
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->kind, Change::Kind::move);
  EXPECT_EQ(moved->path, "a");
  EXPECT_EQ(moved->target, "b/c");
  const auto removed = decode_change(encode(Change{Change::Kind::remove, "a", {}}));
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->kind, Change::Kind::remove);
}

TEST(ChangeMessage, IsRefusedCutOrLengthened) { expect_only_whole(encode(kMove), decode_change); }

TEST(ChangeMessage, HasATargetWhereItMovesAndNoneElse) {
  EXPECT_FALSE(decode_change(encode(Change{Change::Kind::move, "a", {}})).ok());
  EXPECT_FALSE(decode_change(encode(Change{Change::Kind::remove, "a", "b"})).ok());
  EXPECT_FALSE(decode_change(encode(Change{Change::Kind::remove, "", {}})).ok());
}

TEST(ChangeMessage, TakesPathsAtTheirLimitAndNoneBeyond) {
  const std::string longest(kPathBytes, 'p'), longer = longest + "p";
  const Encoded both = encode(Change{Change::Kind::move, longest, longest});
  EXPECT_TRUE(decode_change(both).ok());
  EXPECT_LE(both.size(), payload_cap(FrameType::change));
  EXPECT_FALSE(decode_change(encode(Change{Change::Kind::move, longer, "b"})).ok());
  EXPECT_FALSE(decode_change(encode(Change{Change::Kind::move, "a", longer})).ok());
}

TEST(ChangeMessage, IsOfAKnownKind) {
  Encoded bytes = encode(kMove);
  bytes.front() = std::byte{2};
  EXPECT_EQ(decode_change(bytes).error().code(), Errc::protocol);
}

TEST(GetMessage, ComesBackAsItWas) {
  const auto get = decode_get(encode(Get{"out", 0xFFFFFFFF, Get::Content::whole}));
  ASSERT_TRUE(get.ok());
  EXPECT_EQ(get->path, "out");
  EXPECT_EQ(get->most, 0xFFFFFFFF);
  EXPECT_EQ(get->content, Get::Content::whole);
  const auto piece = decode_get(encode(Get{"f", 1, Get::Content::piece, 1ULL << 40, UINT64_MAX}));
  ASSERT_TRUE(piece.ok());
  EXPECT_EQ(piece->offset, 1ULL << 40);
  EXPECT_EQ(piece->length, UINT64_MAX);
}

TEST(GetMessage, IsRefusedCutOrLengthened) {
  expect_only_whole(encode(Get{"out", 1, Get::Content::whole}), decode_get);
}

TEST(GetMessage, TakesAPathAtTheLimitAndNoneBeyond) {
  const Encoded longest = encode(Get{std::string(kPathBytes, 'p'), 1});
  EXPECT_TRUE(decode_get(longest).ok());
  EXPECT_LE(longest.size(), payload_cap(FrameType::get));
  EXPECT_FALSE(decode_get(encode(Get{std::string(kPathBytes + 1, 'p'), 1})).ok());
  EXPECT_FALSE(decode_get(encode(Get{"", 1})).ok());
}

TEST(GetMessage, WantsContentInThreeWaysAndAPlaceOfAPieceOnly) {
  Encoded bytes = encode(Get{"out", 1});
  for (int content = 0; content < 256; ++content) {
    bytes.at(bytes.size() - 2 * sizeof(std::uint64_t) - 1) = static_cast<std::byte>(content);
    EXPECT_EQ(decode_get(bytes).ok(), content <= 2) << content;
  }
  for (const auto content : {Get::Content::none, Get::Content::whole}) {
    EXPECT_FALSE(decode_get(encode(Get{"out", 1, content, 1, 0})).ok());
    EXPECT_FALSE(decode_get(encode(Get{"out", 1, content, 0, 1})).ok());
  }
}

TEST(GotMessage, ComesBackAsItWas) {
  const auto got = decode_got(encode(Got{-1, 0xFFFFFFFF}));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->os_error, -1);
  EXPECT_EQ(got->left_out, 0xFFFFFFFF);
  EXPECT_LE(encode(Got{}).size(), payload_cap(FrameType::got));
}

TEST(GotMessage, IsRefusedCutOrLengthened) { expect_only_whole(encode(Got{2, 3}), decode_got); }

}  // namespace
}  // namespace lazaret::runner
