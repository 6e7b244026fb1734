#include "integration/engine_fault_cases.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "base/bytes.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max() / 2;
constexpr std::string_view kJson = "Content-Type: application/json\r\n";
// Leaves time between what it writes, so that it comes in frames of its own.
constexpr const char* kSlowly = "echo begin-$0; sleep 0.3; echo end-$0";
constexpr const char* kStubborn = "trap '' TERM; echo begin-$0; while :; do sleep 0.1; done";

std::string json_answer(int status, const std::string& body) {
  return http_answer(status, body, std::string(kJson));
}
std::string json_answer(const std::string& body) { return json_answer(201, body); }
std::string failure(int status, const std::string& message) {
  return json_answer(status, R"({"message":")" + message + "\"}");
}

Fault says(std::string text, Then then = Then::hang_up) {
  Fault fault;
  fault.heard = Heard::nothing;
  fault.say = std::move(text);
  fault.then = then;
  return fault;
}
Fault answers_instead(std::string text) {
  Fault fault = says(std::move(text));
  fault.heard = Heard::all;
  return fault;
}
Fault cut_after(std::string text, std::size_t bytes = 0) {
  Fault fault;
  fault.after = std::move(text);
  fault.bytes = bytes;
  return fault;
}
Fault trickles() {
  Fault fault;
  fault.bytes = kNever;
  fault.one_by_one = true;
  return fault;
}
Fault at(std::string request, Fault fault, int from = 1) {
  fault.at = std::move(request);
  fault.from = from;
  return fault;
}
Fault with_json(std::function<void(Json&)> change) {
  Fault fault;
  fault.change = [change = std::move(change)](const std::string& answer) {
    const std::size_t body = answer.find("\r\n\r\n") + 4;
    // In one chunk or in none: the object is what stands between the outermost braces.
    const std::size_t first = answer.find('{', body), last = answer.rfind('}');
    Json object = Json::parse(answer.substr(first, last - first + 1), nullptr, false);
    if (object.is_object()) change(object);
    return json_answer(200, object.dump());
  };
  return fault;
}

struct Step {
  const char* name;
  const char* request;
  int from;
  const char* said;
};
// Those whose failure no other request can make good.
constexpr Step kSteps[] = {
    {"Create", "POST /containers/create", 1, "creating the container"},
    {"FirstLook", kLook, 1, "inspecting the container"},
    {"RunnerCheck", "HEAD /archive", 1, "looking at a path of the container"},
    {"Attach", "POST /attach", 1, "attaching to the container"},
    {"Wait", "POST /wait", 1, "waiting for the container"},
    {"Start", "POST /start", 1, "starting the container"},
    {"SecondLook", kLook, 2, "inspecting the container"},
    {"TrialKill", "POST /kill", 1, "killing the container"},
};

std::vector<Trouble> troubles() {
  return {
      {"HangsUp", says("")},
      {"LosesItsAnswer", cut_after("")},
      {"StopsInItsAnswer", cut_after("HTTP/1.1 ", 2)},
      {"Fails", says(failure(500, "no space left on device"))},
      {"SpeaksGarbage", says("\x16\x03\x01 garbage \xff\r\n\r\n")},
      {"IsSilent", says("", Then::silence)},
  };
}

FaultCase refused(std::string name, Fault fault, std::string said) {
  FaultCase made{.name = std::move(name), .fault = std::move(fault)};
  made.program = Program::not_run;
  made.cause = Cause::infrastructure_lost;
  made.said = std::move(said);
  if (made.fault.then == Then::silence) made.open_within = 2'500ms;
  return made;
}
FaultCase refused(std::string name, Fault fault, Cause cause, std::string said) {
  FaultCase made = refused(std::move(name), std::move(fault), std::move(said));
  made.cause = cause;
  return made;
}
FaultCase harmless(std::string name, Fault fault, std::string warning = {}) {
  return {.name = std::move(name), .fault = std::move(fault), .warning = std::move(warning)};
}
FaultCase survived(std::string name, Fault fault) {
  FaultCase made = harmless(std::move(name), at("POST /attach", std::move(fault)));
  made.code = kSlowly;
  return made;
}
FaultCase lost(std::string name, Fault fault, Cause cause = Cause::infrastructure_lost) {
  FaultCase made{.name = std::move(name), .fault = std::move(fault)};
  made.fault.at = "POST /attach";
  made.program = Program::lost;
  made.cause = cause;
  made.code = kSlowly;
  if (cause == Cause::timeout) made.timeout = 3'000ms;
  return made;
}
FaultCase stubborn(std::string name, Fault fault) {
  FaultCase made{.name = std::move(name), .fault = at("POST /kill", std::move(fault), 2)};
  made.cause = Cause::timeout;
  made.timeout = 1'500ms;
  made.code = kStubborn;
  return made;
}

FaultCase weakened(const char* name, const char* pointer, Json value, int look = 1) {
  const auto change = [pointer, value = std::move(value)](Json& seen) {
    seen[Json::json_pointer(pointer)] = value;
  };
  return refused(name, at(kLook, with_json(change), look), Cause::enforcement_mismatch, "");
}

// Headers of the engine's own frames on the stream, whatever length they claim.
std::string engine_frame(char stream, std::uint32_t size) {
  std::string header{stream, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(size >> shift & 0xff);
  return header;
}
std::string engine_frame(char stream, std::string_view payload) {
  return engine_frame(stream, static_cast<std::uint32_t>(payload.size())) + std::string(payload);
}
std::string runner_frame(runner::FrameType type, std::string_view payload) {
  return engine_frame(1, text_of(runner::encode_frame(type, bytes_of(payload))));
}

Fault spoiled(std::string say, Then then = Then::go_on) {
  Fault fault = cut_after("begin-", 0);
  fault.bytes = kMarkerBytes + 1;  // the word and its line's end
  fault.say = std::move(say);
  fault.then = then;
  return fault;
}

// `pages` of 4 KiB behind what it says.
Fault followed_by(Fault fault, char letter, int pages) {
  fault.tail = std::string(4096, letter);
  fault.tails = pages;
  return fault;
}

}  // namespace

std::vector<FaultCase> faults_while_making() {
  std::vector<FaultCase> cases;
  for (const Step& step : kSteps) {
    for (const Trouble& trouble : troubles()) {
      cases.push_back(refused(std::string(step.name) + trouble.name,
                              at(step.request, trouble.fault, step.from), step.said));
    }
  }
  return cases;
}

std::vector<FaultCase> wrong_answers() {
  const std::string create = "POST /containers/create";
  const auto creates = [&create](const char* name, std::string text, std::string said) {
    return refused(name, at(create, answers_instead(std::move(text))), std::move(said));
  };
  const std::string chunked = "HTTP/1.1 201 Said\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string head = "HTTP/1.1 201 Said\r\n";
  std::string interim;
  for (int count = 0; count < 100; ++count) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  return {
      refused("CreateKnowsNoImage", at(create, says(failure(404, "No such image"))),
              Cause::image_missing, "No such image"),
      creates("CreateFindsTheNameTaken", failure(409, "name in use"), "name in use"),
      creates("CreateIsAskedTooOften", failure(429, "slow down"), "slow down"),
      refused("CreateIsForbidden", at(create, says(http_answer(403, "<html>no</html>"))),
              Cause::backend_unavailable, "403"),
      creates("CreateIsElsewhere", head.substr(0, 9) + "302 Found\r\nLocation: /evil\r\n\r\n",
              "302"),
      creates("CreateNamesNoId", json_answer("{}"), "no id"),
      creates("CreateHasANullForItsId", json_answer(R"({"Id":null})"), "no id"),
      creates("CreateHasAnEmptyId", json_answer(R"({"Id":""})"), "no id"),
      creates("CreateAnswersAList", json_answer("[1,2]"), "not a JSON object"),
      creates("CreateAnswersNoJson", json_answer("not json!"), "not JSON"),
      creates("CreateAnswersADeepList", json_answer(std::string(100'000, '[')), "not JSON"),
      creates("CreateBreaksOffItsBody", head + "Content-Length: 500\r\n\r\n{\"Id\":", "early"),
      creates("CreateHasANegativeLength", head + "Content-Length: -1\r\n\r\n{}", "not HTTP"),
      creates("CreateHasTwoLengths", head + "Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}",
              "not HTTP"),
      creates("CreateHasABadChunk", chunked + "zz\r\n{}\r\n0\r\n\r\n", "not HTTP"),
      creates("CreateStopsInAChunk", chunked + "ff\r\n{\"Id\"", "early"),
      creates("CreateHasAHugeChunk", chunked + "ffffffffffffffffff\r\n{}", "not HTTP"),
      creates("CreateAnswersInInstalments", interim, "interim"),
      refused("CreateHasAnEndlessHead",
              at(create, followed_by(answers_instead(head + "X: "), 'x', 256)),
              Cause::backend_unavailable, "64 KiB"),
      refused("CreateHasAnEndlessBody",
              at(create, followed_by(
                             answers_instead(head + "Content-Length: 9437184\r\n\r\n"), ' ', 2304)),
              Cause::backend_unavailable, "longer than"),
      refused("CreateDiscardsALimit",
              at(create, answers_instead(json_answer(
                             R"({"Id":"ab","Warnings":["swap limit: Limitation discarded."]})"))),
              Cause::enforcement_mismatch, ""),
      harmless("CreateNamesAHostileId",
               at(create, answers_instead(json_answer(R"({"Id":"../../evil?a=b\r\nX: y"})")))),
      refused("FirstLookFindsNothing", at(kLook, says(failure(404, "No such container"))),
              Cause::backend_unavailable, "No such container"),
      refused("FirstLookStopsInItsBody", at(kLook, cut_after("\r\n\r\n", 100)), "early"),
      weakened("FirstLookShowsAPrivilegedBox", "/HostConfig/Privileged", true),
      weakened("FirstLookShowsTheHostsNetwork", "/HostConfig/NetworkMode", "host"),
      weakened("FirstLookShowsNoLimitOnMemory", "/HostConfig/Memory", 0),
      weakened("FirstLookShowsNoHostConfig", "/HostConfig", nullptr),
      weakened("SecondLookShowsAnAddress", "/NetworkSettings/Networks",
               {{"bridge", {{"IPAddress", "172.17.0.2"}}}}, 2),
      harmless("SecondLookNamesAnotherProcess",
               at(kLook, with_json([](Json& seen) { seen["State"]["Pid"] = 1; }), 2)),
      harmless("FirstLookTrickles", at(kLook, trickles())),
      harmless("StartWasDoneBefore", at("POST /start", answers_instead(http_answer(304, "")))),
      refused("StartFindsNothing", at("POST /start", says(failure(404, "No such container"))),
              Cause::backend_unavailable, "No such container"),
  };
}

std::vector<FaultCase> faults_of_the_stream() {
  using runner::FrameType;
  const auto early = [](const char* name, Fault fault) {
    return refused(name, at("POST /attach", std::move(fault)), "greeting the runner");
  };
  const auto silent = [](Fault fault) {
    fault.then = Then::silence;
    return fault;
  };
  FaultCase deaf = refused("SwallowsTheJob", at("POST /attach", cut_after("", kNever)),
                           Cause::timeout, "ended after");
  deaf.warning = "never said that it had started the program";
  deaf.fault.heard = Heard::request;
  deaf.timeout = 500ms;
  FaultCase waits = early("IsSilentBeforeTheGreeting", silent(cut_after("\r\n\r\n")));
  waits.open_within = 3'000ms;
  Fault empty = spoiled("");
  empty.tail = engine_frame(1, 0U);
  empty.tails = 1'000'000;
  return {
      early("EndsBeforeTheGreeting", cut_after("\r\n\r\n")),
      early("EndsInAFrameHeader", cut_after("\r\n\r\n", 4)),
      early("EndsInTheGreeting", cut_after("\r\n\r\n", 20)),
      early("EndsInTheReport", cut_after("status=", 5)),
      std::move(waits),
      std::move(deaf),
      lost("EndsInTheMiddleOfAWord", cut_after("begin-", 3)),
      lost("EndsBetweenTheFrames", spoiled("", Then::hang_up)),
      lost("EndsInTheNextHeader", cut_after("begin-", kMarkerBytes + 1 + 3)),
      lost("EndsBeforeTheExitStatus", cut_after("end-", kMarkerBytes + 1)),
      lost("EndsInTheExitStatus", cut_after("end-", kMarkerBytes + 1 + 12)),
      lost("StallsInTheMiddleOfAWord", silent(cut_after("begin-", 3)), Cause::timeout),
      lost("StallsBeforeTheExitStatus", silent(cut_after("end-", kMarkerBytes + 1)),
           Cause::timeout),
      lost("HasAnUnknownStream", spoiled(engine_frame(7, "x"))),
      lost("HasPaddingThatIsNotZero", spoiled(std::string("\1\2\3\4\0\0\0\1x", 9))),
      lost("AnnouncesFourGibibytes", spoiled(engine_frame(1, 0xffffffffU))),
      lost("AnnouncesFourGibibytesAndStalls", spoiled(engine_frame(1, 0xffffffffU), Then::silence),
           Cause::timeout),
      lost("ReportsTroubleOfTheEngine", spoiled(engine_frame(3, "copying the stream"))),
      lost("RepeatsTheGreeting", spoiled(runner_frame(FrameType::hello, ""))),
      lost("SpeaksAsWeDo", spoiled(runner_frame(FrameType::job, ""))),
      lost("ClaimsAnImpossibleExitStatus",
           spoiled(runner_frame(FrameType::exited, std::string(21, '\xff')))),
      lost("HasARunnerFrameOfFourGibibytes", spoiled(engine_frame(1, "\xff\xff\xff\xff\x84"))),
      survived("HasAMillionEmptyFrames", std::move(empty)),
      survived("EchoesOurInput", spoiled(engine_frame(0, "echo"))),
      survived("FloodsStandardError", followed_by(spoiled(engine_frame(2, 1U << 20)), 'e', 256)),
      survived("Trickles", trickles()),
  };
}

std::vector<FaultCase> faults_while_ending() {
  const auto wait_says = [](const char* name, std::string body) {
    return harmless(name, at("POST /wait", says(json_answer(200, std::move(body)))));
  };
  const auto removal = [](const char* name, Fault fault) {
    return harmless(name, at("DELETE /containers/", std::move(fault)), "could not be removed");
  };
  return {
      wait_says("WaitNamesAnImpossibleStatus", R"({"StatusCode":99999999999999999999})"),
      wait_says("WaitNamesANegativeStatus", R"({"StatusCode":-1})"),
      wait_says("WaitNamesNoStatus", "null"),
      wait_says("WaitReportsAnError", R"({"StatusCode":137,"Error":{"Message":"lost"}})"),
      harmless("WaitNeverEnds", at("POST /wait", says("HTTP/1.1 200 OK\r\n\r\n", Then::silence))),
      removal("RemovalHangsUp", says("")),
      removal("RemovalLosesItsAnswer", cut_after("")),
      removal("RemovalFails", says(failure(500, "device or resource busy"))),
      removal("RemovalSpeaksGarbage", says("garbage\r\n\r\n")),
      removal("RemovalIsSilent", says("", Then::silence)),
      stubborn("KillHangsUp", says("")),
      stubborn("KillLosesItsAnswer", cut_after("")),
      stubborn("KillFails", says(failure(500, "cannot kill"))),
      stubborn("KillFindsNothing", says(failure(404, "No such container"))),
      stubborn("KillIsSilent", says("", Then::silence)),
  };
}

std::vector<FaultCase> lost_sockets() {
  std::vector<FaultCase> cases;
  const std::pair<const char*, const char*> kDoors[] = {
      {"RefusesAfterTheVolume", "POST /volumes"},
      {"RefusesAfterCreate", "POST /containers/create"},
      {"RefusesAfterStart", "POST /start"}};
  for (const Door door : {Door::refuse, Door::vanish}) {
    for (const auto& [name, request] : kDoors) {
      Fault fault = at(request, cut_after("", kNever));
      fault.door = door;
      const std::string prefix = door == Door::refuse ? "Door" : "Socket";
      cases.push_back(refused(prefix + name, std::move(fault), Cause::backend_unavailable, ""));
    }
  }
  return cases;
}

std::vector<FaultCase> faults_while_filling() {
  const std::string create = "POST /containers/create", upload = "PUT /archive";
  const std::string copying = "copying files into the container";
  Fault full = at(upload, says(failure(500, "disk full")));
  full.times = 2;
  const Fault silence = says("", Then::silence);
  return {
      refused("VolumeIsSilent", at("POST /volumes/create", silence), "creating"),
      refused("HelperIsSilent", at(create, silence, 2), "filling volume"),
      refused("UploadIsSilent", at(upload, silence), copying),
      refused("VolumeIsNotMade", at("POST /volumes/create", says(failure(500, "disk full"))),
              "disk full"),
      refused("HelperHangsUp", at(create, says(""), 2), "filling volume"),
      refused("HelperLosesItsAnswer", at(create, cut_after(""), 2), "filling volume"),
      refused("UploadHangsUp", at(upload, says("")), copying),
      refused("UploadLosesItsAnswer", at(upload, cut_after("")), copying),
      harmless("UploadFails", at(upload, says(failure(500, "try again")))),
      refused("UploadFailsTwice", full, "disk full"),
      harmless("HelperRemovalHangsUp", at("DELETE /containers/", says(""))),
      harmless("HelperRemovalLosesItsAnswer", at("DELETE /containers/", cut_after(""))),
  };
}

std::vector<FaultCase> faults_of_podman() {
  const std::set<std::string> chosen = {"CreateHangsUp",
                                        "CreateLosesItsAnswer",
                                        "FirstLookLosesItsAnswer",
                                        "AttachLosesItsAnswer",
                                        "StartLosesItsAnswer",
                                        "TrialKillFails",
                                        "CreateAnswersNoJson",
                                        "EndsInTheMiddleOfAWord",
                                        "EndsBeforeTheExitStatus",
                                        "StallsInTheMiddleOfAWord",
                                        "AnnouncesFourGibibytes",
                                        "RemovalLosesItsAnswer",
                                        "KillHangsUp",
                                        "SocketRefusesAfterCreate"};
  std::vector<FaultCase> cases;
  for (const auto& list : {faults_while_making(), wrong_answers(), faults_of_the_stream(),
                           faults_while_ending(), lost_sockets()}) {
    std::copy_if(list.begin(), list.end(), std::back_inserter(cases),
                 [&chosen](const FaultCase& given) { return chosen.contains(given.name); });
  }
  // The first volume is the runner's, which is there already.
  cases.push_back(refused("ScratchVolumeLosesItsAnswer",
                          at("POST /volumes/create", cut_after(""), 3),
                          "creating a scratch volume"));
  cases.push_back(harmless("VolumeRemovalHangsUp", at("DELETE /volumes/", says(""), 2),
                           "could not be removed"));
  return cases;
}

}  // namespace lazaret::test
