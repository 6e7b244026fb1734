#include "runner/client.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/runner/fake_wire.hpp"

namespace lazaret::runner {
namespace {

using lazaret::test::at_once;
using lazaret::test::soon;
using test::FakeWire;
using test::Heard;

class RecordingSink final : public Sink {
 public:
  Status output(Stream stream, Bytes bytes) override {
    (stream == Stream::standard_output ? out : err) += text_of(bytes);
    return {};
  }
  void value(Bytes bytes) override { value_text += text_of(bytes); }
  void credit(std::uint32_t bytes) override { credits.push_back(bytes); }

  std::string out, err, value_text;
  std::vector<std::uint32_t> credits;
};

Job job_of(const char* program) {
  Job job;
  job.argv = {program};
  return job;
}

void say_hello(FakeWire& wire, std::uint16_t version = kProtocolVersion) {
  wire.say(FrameType::hello, encode(Hello{version, 1}));
}
void say_exit(FakeWire& wire, std::uint32_t code) {
  wire.say(FrameType::exited, encode(Exited{Exited::How::exit, code, 0, 0}));
}

// What await() makes of a runner that has said this one frame.
Result<Ending> ending_after(FrameType type, Bytes payload) {
  FakeWire wire;
  wire.say(type, payload);
  wire.hang_up();
  Client client(wire);
  RecordingSink sink;
  return client.await(sink, soon());
}

TEST(Client, TakesHelloAndReport) {
  FakeWire wire;
  say_hello(wire);
  wire.say(FrameType::report, "pid=1\n");
  const auto greeting = Client(wire).greet(soon());
  ASSERT_TRUE(greeting.ok());
  EXPECT_EQ(greeting->hello.pid, 1U);
  EXPECT_EQ(greeting->report, "pid=1\n");
}

TEST(Client, TakesHelloAndReportByteByByte) {
  FakeWire wire;
  wire.give_pieces_of(1);
  say_hello(wire);
  const std::string report(4096, 'r');
  wire.say(FrameType::report, report);
  EXPECT_EQ(Client(wire).greet(soon()).value().report, report);
}

TEST(Client, NamesBothVersionsWhenTheyDiffer) {
  FakeWire wire;
  say_hello(wire, kProtocolVersion - 1);
  const auto greeting = Client(wire).greet(soon());
  ASSERT_FALSE(greeting.ok());
  EXPECT_EQ(greeting.error().code(), Errc::protocol);
  EXPECT_EQ(greeting.error().message(), "the runner speaks protocol version 8, we speak 9");
}

TEST(Client, RefusesAnythingBeforeTheHello) {
  FakeWire wire;
  wire.say(FrameType::report, "pid=1\n");
  EXPECT_EQ(Client(wire).greet(soon()).error().code(), Errc::protocol);
}

TEST(Client, RefusesAnythingBetweenHelloAndReport) {
  FakeWire wire;
  say_hello(wire);
  wire.say(FrameType::stdout_data, "early");
  EXPECT_EQ(Client(wire).greet(soon()).error().code(), Errc::protocol);
}

TEST(Client, RefusesAPeerThatIsNoRunner) {
  FakeWire wire;
  wire.say_bytes(bytes_of("HTTP/1.1 400 Bad Request\r\n\r\n"));
  EXPECT_EQ(Client(wire).greet(soon()).error().code(), Errc::protocol);
}

TEST(Client, SaysConnectionLostWhenNobodyGreets) {
  FakeWire wire;
  wire.hang_up();
  EXPECT_EQ(Client(wire).greet(soon()).error().code(), Errc::connection_lost);
}

TEST(Client, SaysConnectionLostWhenTheStreamEndsInsideAFrame) {
  FakeWire wire;
  const auto hello = encode_frame(FrameType::hello, encode(Hello{1, 1}));
  wire.say_bytes(Bytes(hello).first(hello.size() - 1));
  wire.hang_up();
  EXPECT_EQ(Client(wire).greet(soon()).error().code(), Errc::connection_lost);
}

TEST(Client, StopsWaitingForAGreetingAtTheDeadline) {
  FakeWire wire;
  EXPECT_EQ(Client(wire).greet(at_once()).error().code(), Errc::timed_out);
}

TEST(Client, StopsWaitingForAGreetingWhenCancelled) {
  FakeWire wire;
  std::stop_source source;
  wire.on_read([&source] { source.request_stop(); });
  EXPECT_EQ(Client(wire).greet({soon().deadline, source.get_token()}).error().code(),
            Errc::cancelled);
}

TEST(Client, CarriesTheStreamsUntilTheExit) {
  FakeWire wire;
  wire.say(FrameType::started, encode(2U));
  wire.say(FrameType::stdout_data, "out1");
  wire.say(FrameType::stderr_data, "err");
  wire.say(FrameType::stdout_data, "out2");
  wire.say(FrameType::value_data, "{}");
  wire.say(FrameType::stdin_credit, encode(12U));
  say_exit(wire, 3);
  RecordingSink sink;
  const auto ending = Client(wire).await(sink, soon());
  ASSERT_TRUE(ending.ok());
  EXPECT_EQ(std::get<Exited>(*ending).code, 3U);
  EXPECT_EQ(sink.out, "out1out2");
  EXPECT_EQ(sink.err, "err");
  EXPECT_EQ(sink.value_text, "{}");
  EXPECT_EQ(sink.credits, std::vector<std::uint32_t>{12});
}

TEST(Client, GivesTheStepThatFailed) {
  const auto ending = ending_after(FrameType::failed, encode(Failed{"exec", 2}));
  ASSERT_TRUE(ending.ok());
  EXPECT_EQ(std::get<Failed>(*ending).step, "exec");
}

TEST(Client, RefusesASecondGreetingInAJob) {
  EXPECT_EQ(ending_after(FrameType::hello, encode(Hello{1, 1})).error().code(), Errc::protocol);
  EXPECT_EQ(ending_after(FrameType::report, bytes_of("pid=1")).error().code(), Errc::protocol);
}

TEST(Client, RefusesMalformedPayloadsOfARunnerThatWasTakenOver) {
  EXPECT_EQ(ending_after(FrameType::exited, bytes_of("x")).error().code(), Errc::protocol);
  EXPECT_EQ(ending_after(FrameType::failed, bytes_of("x")).error().code(), Errc::protocol);
  EXPECT_EQ(ending_after(FrameType::stdin_credit, bytes_of("x")).error().code(), Errc::protocol);
}

TEST(Client, DoesNotTakeTheEndOfTheStreamForAnExit_P13) {
  const auto ending = ending_after(FrameType::stdout_data, bytes_of("last words"));
  EXPECT_EQ(ending.error().code(), Errc::connection_lost);
}

TEST(Client, GoesOnAwaitingAfterATimeoutInTheMiddleOfAFrame) {
  FakeWire wire;
  const auto frame = encode_frame(FrameType::stdout_data, bytes_of("whole"));
  wire.say_bytes(Bytes(frame).first(10));
  Client client(wire);
  RecordingSink sink;
  EXPECT_EQ(client.await(sink, Call{}.within(std::chrono::milliseconds(5))).error().code(),
            Errc::timed_out);
  wire.say_bytes(Bytes(frame).subspan(10));
  say_exit(wire, 0);
  EXPECT_TRUE(client.await(sink, soon()).ok());
  EXPECT_EQ(sink.out, "whole");
}

TEST(Client, KeepsItsDeadlineAgainstARunnerThatNeverStopsTalking) {
  FakeWire wire;
  std::string flood;
  for (int index = 0; index < 1000; ++index) {
    flood += text_of(frame_header(FrameType::stdout_data, 0));
  }
  wire.on_read([&] { wire.say_bytes(bytes_of(flood)); });
  RecordingSink sink;
  EXPECT_EQ(Client(wire).await(sink, Call{}.within(std::chrono::milliseconds(20))).error().code(),
            Errc::timed_out);
}

// The answer of a runner that is to start an interpreter ahead.
Result<std::uint32_t> prepared_by(FrameType type, Bytes payload) {
  FakeWire wire([&](FakeWire& runner, const Heard& frame) {
    if (frame.type == FrameType::prepare) runner.say(type, payload);
    runner.hang_up();
  });
  return Client(wire).prepare(job_of("python3"), soon());
}

TEST(Client, HasAnInterpreterStartedAhead) {
  const auto memory_kib = prepared_by(FrameType::prepared, encode(12'345U));
  ASSERT_TRUE(memory_kib.ok());
  EXPECT_EQ(*memory_kib, 12'345U);
  EXPECT_EQ(prepared_by(FrameType::prepared, {}).error().code(), Errc::protocol);
}

TEST(Client, SaysWhyNoInterpreterCouldBeStarted) {
  const auto status = prepared_by(FrameType::failed, encode(Failed{"exec", 2}));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::start_failed);
  EXPECT_EQ(status.error().os_error(), 2);
}

TEST(Client, TakesNoOtherAnswerForAWaitingInterpreter) {
  for (const FrameType type : {FrameType::started, FrameType::stdout_data})
    EXPECT_EQ(prepared_by(type, encode(1U)).error().code(), Errc::protocol);
}

TEST(Client, SaysConnectionLostWhenTheInterpreterTookTheBoxWithIt) {
  FakeWire wire;
  wire.hang_up();
  EXPECT_EQ(Client(wire).prepare(job_of("python3"), soon()).error().code(), Errc::connection_lost);
}

TEST(Client, SendsWhatItIsTold) {
  FakeWire wire;
  Client client(wire);
  ASSERT_TRUE(client.start(job_of("true"), soon()).ok());
  ASSERT_TRUE(client.send_stdin(bytes_of("input"), soon()).ok());
  ASSERT_TRUE(client.end_stdin(soon()).ok());
  ASSERT_TRUE(client.signal(15, soon()).ok());
  const auto heard = wire.heard();
  ASSERT_EQ(heard.size(), 4U);
  EXPECT_EQ(decode_job(bytes_of(heard[0].payload))->argv.front(), "true");
  EXPECT_EQ(heard[1].payload, "input");
  EXPECT_EQ(heard[2].type, FrameType::stdin_end);
  EXPECT_EQ(decode_number(bytes_of(heard[3].payload)).value(), 15U);
}

TEST(Client, SendsAJobAtTheLimitAndRefusesOneByteMore) {
  FakeWire wire;
  Client client(wire);
  Job job = job_of("a");
  job.files = {{"f", ""}};
  job.files[0].content.assign(kJobBytes - encode(job).size(), 'x');
  EXPECT_TRUE(client.start(job, soon()).ok());
  job.files[0].content += 'x';
  EXPECT_EQ(client.start(job, soon()).error().code(), Errc::too_large);
  EXPECT_EQ(wire.count(FrameType::job), 1U);
}

TEST(Client, DoesNotMixTheFramesOfTwoThreads) {
  FakeWire wire;
  Client client(wire);
  const std::string piece(1000, 'x');
  {
    const std::jthread other([&] {
      for (int index = 0; index < 200; ++index)
        (void)client.send_stdin(bytes_of(piece), soon()).ok();
    });
    for (int index = 0; index < 200; ++index) (void)client.signal(1, soon()).ok();
  }
  EXPECT_EQ(wire.count(FrameType::stdin_data), 200U);
  EXPECT_EQ(wire.count(FrameType::signal), 200U);
}

TEST(Client, DoesNotLetASignalWaitBehindAnInputThatNobodyTakes) {
  FakeWire wire;
  wire.stall_on(FrameType::stdin_data);
  Client client(wire);
  const std::jthread feed([&client](const std::stop_token& stop) {
    EXPECT_EQ(client.send_stdin(bytes_of("x"), {soon().deadline, stop}).error().code(),
              Errc::cancelled);
  });
  wire.wait_for_stall();
  const Status late = client.signal(15, at_once());
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), Errc::timed_out);
  std::stop_source nobody;
  nobody.request_stop();
  EXPECT_EQ(client.signal(15, {soon().deadline, nobody.get_token()}).error().code(),
            Errc::cancelled);
}

TEST(Client, SendsNothingAfterAFrameThatWasCut) {
  FakeWire wire;
  wire.stall_on(FrameType::stdin_data);
  Client client(wire);
  EXPECT_EQ(client.send_stdin(bytes_of("x"), at_once()).error().code(), Errc::timed_out);
  EXPECT_EQ(client.signal(15, soon()).error().code(), Errc::connection_lost);
  EXPECT_EQ(wire.count(FrameType::signal), 0U);
}

}  // namespace
}  // namespace lazaret::runner
