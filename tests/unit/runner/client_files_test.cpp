#include "runner/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/runner/fake_wire.hpp"

namespace lazaret::runner {
namespace {

using lazaret::test::at_once;
using lazaret::test::soon;
using test::FakeWire;
using test::Heard;
using testing::ElementsAre;

class RecordingReceiver final : public Receiver {
 public:
  Status entry(const Entry& entry) override {
    came.push_back("entry " + entry.path);
    if (entry.path == refused) return Error(Errc::too_large, "refused");
    return {};
  }
  Status content(Bytes bytes) override {
    came.push_back("content " + std::string(text_of(bytes)));
    if (text_of(bytes) == refused) return Error(Errc::too_large, "refused");
    return {};
  }

  std::vector<std::string> came;
  std::string refused = "never";
};

Entry file(std::string path, std::uint64_t size) {
  return {Entry::Kind::file, false, size, std::move(path), {}};
}

// What get() makes of a runner that says these frames once it is asked.
struct Gift {
  explicit Gift(std::vector<std::pair<FrameType, std::vector<std::byte>>> frames)
      : wire([frames = std::move(frames)](FakeWire& runner, const Heard& frame) {
          if (frame.type != FrameType::get) return;
          for (const auto& [type, payload] : frames) runner.say(type, payload);
          runner.hang_up();
        }) {}
  Result<Got> take() { return Client(wire).get({"out", 7, Get::Content::whole}, receiver, soon()); }

  FakeWire wire;
  RecordingReceiver receiver;
};

std::vector<std::byte> raw(std::string_view text) {
  const Bytes bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

TEST(ClientFiles, SaysWhatIsToBePut) {
  FakeWire wire;
  Client client(wire);
  ASSERT_TRUE(client.put({Entry::Kind::file, true, 5, "data/a", {}}, soon()).ok());
  ASSERT_TRUE(client.put_content(bytes_of("hello"), soon()).ok());
  ASSERT_TRUE(client.put({Entry::Kind::link, false, 0, "b", "data/a"}, soon()).ok());
  const auto heard = wire.heard();
  ASSERT_EQ(heard.size(), 3U);
  const Entry first = decode_entry(bytes_of(heard[0].payload)).value();
  EXPECT_EQ(first.path, "data/a");
  EXPECT_EQ(first.size, 5U);
  EXPECT_TRUE(first.executable);
  EXPECT_EQ(heard[1].type, FrameType::put_data);
  EXPECT_EQ(heard[1].payload, "hello");
  EXPECT_EQ(decode_entry(bytes_of(heard[2].payload))->target, "data/a");
}

TEST(ClientFiles, PutsContentInPiecesOf64KiB) {
  for (const std::size_t size :
       {kStreamBytes - 1, kStreamBytes, kStreamBytes + 1, 3 * kStreamBytes + 5}) {
    FakeWire wire;
    std::string content;
    while (content.size() < size) content += static_cast<char>('a' + content.size() % 26);
    ASSERT_TRUE(Client(wire).put_content(bytes_of(content), soon()).ok());
    std::string seen;
    for (const Heard& frame : wire.heard()) {
      EXPECT_LE(frame.payload.size(), kStreamBytes);
      seen += frame.payload;
    }
    EXPECT_EQ(wire.heard().size(), (size + kStreamBytes - 1) / kStreamBytes);
    EXPECT_EQ(seen, content);
  }
}

TEST(ClientFiles, SendsNothingOfNoContent) {
  FakeWire wire;
  EXPECT_TRUE(Client(wire).put_content({}, soon()).ok());
  EXPECT_TRUE(wire.heard().empty());
}

TEST(ClientFiles, PutsNothingAfterAFrameThatWasCut) {
  FakeWire wire;
  wire.stall_on(FrameType::put_data);
  Client client(wire);
  ASSERT_TRUE(client.put(file("a", 1), soon()).ok());
  EXPECT_EQ(client.put_content(bytes_of("x"), at_once()).error().code(), Errc::timed_out);
  EXPECT_EQ(client.put(file("b", 0), soon()).error().code(), Errc::connection_lost);
  EXPECT_EQ(client.end_put(soon()).error().code(), Errc::connection_lost);
  EXPECT_EQ(wire.count(FrameType::put), 1U);
}

// What end_put() makes of a runner that answers this.
Result<Placed> placed_by(FrameType type, Bytes payload) {
  FakeWire wire([&](FakeWire& runner, const Heard& frame) {
    if (frame.type == FrameType::put_end) runner.say(type, payload);
    runner.hang_up();
  });
  return Client(wire).end_put(soon());
}

TEST(ClientFiles, HearsWhatBecameOfThem) {
  EXPECT_EQ(placed_by(FrameType::placed, encode(Placed{})).value().os_error, 0);
  const auto placed = placed_by(FrameType::placed, encode(Placed{"data/a", 28}));
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->path, "data/a");
  EXPECT_EQ(placed->os_error, 28);
}

TEST(ClientFiles, TakesNoOtherAnswer) {
  EXPECT_EQ(placed_by(FrameType::placed, bytes_of("x")).error().code(), Errc::protocol);
  EXPECT_EQ(placed_by(FrameType::got, encode(Got{})).error().code(), Errc::protocol);
  EXPECT_EQ(placed_by(FrameType::stdout_data, bytes_of("x")).error().code(), Errc::protocol);
  FakeWire silent;
  EXPECT_EQ(Client(silent).end_put(at_once()).error().code(), Errc::timed_out);
  FakeWire gone;
  gone.hang_up();
  EXPECT_EQ(Client(gone).end_put(soon()).error().code(), Errc::connection_lost);
}

TEST(ClientFiles, HaveNamesChangedAndHearWhatBecameOfIt) {
  FakeWire wire([](FakeWire& runner, const Heard& frame) {
    const Change change = decode_change(bytes_of(frame.payload)).value();
    runner.say(FrameType::placed, encode(Placed{change.path, 17}));
  });
  Client client(wire);
  const auto placed = client.change({Change::Kind::move, "a", "b"}, soon());
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->path, "a");
  EXPECT_EQ(placed->os_error, 17);
  EXPECT_TRUE(client.is_in_step());
  FakeWire silent;
  Client waiting(silent);
  EXPECT_EQ(waiting.change({Change::Kind::remove, "a", {}}, at_once()).error().code(),
            Errc::timed_out);
  EXPECT_FALSE(waiting.is_in_step());
}

TEST(ClientFiles, HandsOverWhatTheBoxGivesInOrder) {
  Gift gift({{FrameType::entry, encode(Entry{Entry::Kind::directory, false, 0, "d", {}})},
             {FrameType::entry, encode(file("d/a", 4))},
             {FrameType::entry_data, raw("on")},
             {FrameType::entry_data, raw("e")},
             {FrameType::entry_data, {}},
             {FrameType::entry, encode(file("b", 0))},
             {FrameType::entry_data, {}},
             {FrameType::got, encode(Got{0, 3})}});
  const auto got = gift.take();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->left_out, 3U);
  EXPECT_THAT(gift.receiver.came, ElementsAre("entry d", "entry d/a", "content on", "content e",
                                              "content ", "entry b", "content "));
}

TEST(ClientFiles, SaysWhatIsWanted) {
  Gift gift({{FrameType::got, encode(Got{2, 0})}});
  EXPECT_EQ(gift.take().value().os_error, 2);
  ASSERT_EQ(gift.wire.heard().size(), 1U);
  const Get get = decode_get(bytes_of(gift.wire.heard()[0].payload)).value();
  EXPECT_EQ(get.path, "out");
  EXPECT_EQ(get.most, 7U);
  EXPECT_EQ(get.content, Get::Content::whole);
}

TEST(ClientFiles, HandsOverByteByByte) {
  Gift gift({{FrameType::entry, encode(file("a", 1))},
             {FrameType::entry_data, raw("x")},
             {FrameType::got, encode(Got{})}});
  gift.wire.give_pieces_of(1);
  EXPECT_TRUE(gift.take().ok());
  EXPECT_THAT(gift.receiver.came, ElementsAre("entry a", "content x"));
}

TEST(ClientFiles, TakesNoOtherFrameWhileTheyCome) {
  for (const FrameType type :
       {FrameType::hello, FrameType::report, FrameType::started, FrameType::stdout_data,
        FrameType::stderr_data, FrameType::value_data, FrameType::stdin_credit, FrameType::exited,
        FrameType::failed, FrameType::prepared, FrameType::placed}) {
    Gift gift({{type, {}}, {FrameType::got, encode(Got{})}});
    EXPECT_EQ(gift.take().error().code(), Errc::protocol) << static_cast<int>(type);
    EXPECT_TRUE(gift.receiver.came.empty());
  }
}

TEST(ClientFiles, TakesNoMalformedEntryAndNoMalformedEnd) {
  EXPECT_EQ(Gift({{FrameType::entry, raw("x")}}).take().error().code(), Errc::protocol);
  EXPECT_EQ(Gift({{FrameType::got, raw("x")}}).take().error().code(), Errc::protocol);
}

TEST(ClientFiles, EndAtTheReceiversRefusal) {
  for (const char* const refused : {"a", "x"}) {
    Gift gift({{FrameType::entry, encode(file("a", 1))},
               {FrameType::entry_data, raw("x")},
               {FrameType::entry, encode(file("b", 1))},
               {FrameType::got, encode(Got{})}});
    gift.receiver.refused = refused;
    EXPECT_EQ(gift.take().error().code(), Errc::too_large);
    EXPECT_LE(gift.receiver.came.size(), 2U);
    EXPECT_THAT(gift.receiver.came.back(), testing::HasSubstr(refused));
  }
}

TEST(ClientFiles, AreNotAllThereWhenTheStreamEnds) {
  Gift gift({{FrameType::entry, encode(file("a", 1))}});
  EXPECT_EQ(gift.take().error().code(), Errc::connection_lost);
  FakeWire silent;
  RecordingReceiver receiver;
  EXPECT_EQ(Client(silent).get({"out", 1, Get::Content::whole}, receiver, at_once()).error().code(),
            Errc::timed_out);
}

// Whoever says nothing but files is heard no longer than the call allows.
TEST(ClientFiles, KeepTheDeadlineAgainstABoxThatNeverStopsGiving) {
  FakeWire wire;
  wire.on_read([&wire] { wire.say(FrameType::entry_data, Bytes()); });
  RecordingReceiver receiver;
  const auto bound = Call{}.within(std::chrono::milliseconds(20));
  EXPECT_EQ(Client(wire).get({"out", 1, Get::Content::whole}, receiver, bound).error().code(),
            Errc::timed_out);
}

TEST(ClientFiles, AreNoPartOfAJob) {
  class NoSink final : public Sink {
    Status output(Stream /*stream*/, Bytes /*bytes*/) override { return {}; }
    void value(Bytes /*bytes*/) override {}
    void credit(std::uint32_t /*bytes*/) override {}
  };
  for (const FrameType type :
       {FrameType::placed, FrameType::entry, FrameType::entry_data, FrameType::got}) {
    FakeWire wire;
    wire.say(type, Bytes());
    NoSink sink;
    EXPECT_EQ(Client(wire).await(sink, soon()).error().code(), Errc::protocol);
  }
}

}  // namespace
}  // namespace lazaret::runner
