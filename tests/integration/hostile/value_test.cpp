#include <array>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "integration/runtimes.hpp"
#include "integration/support.hpp"

// A program that lies on all that it can reach: frames, results and evidence of its own making
// change nothing but its own value.
namespace lazaret::test {
namespace {

struct Forgery {
  const char* name;
  const char* bytes;
};
constexpr std::array kForgeries = {
    Forgery{"NoJson", "b'\\xff\\xfe\\x00 no json'"},
    Forgery{"HalfAnObject", "b'{\"value\":'"},
    Forgery{"Deep", "b'[' * 100000"},
    Forgery{"AnArray", "b'[1,2,3]'"},
    Forgery{"AnUnknownError", "b'{\"error\":{\"type\":\"BackendError\",\"message\":\"lie\"}}'"},
    Forgery{"ARuntimeError", "b'{\"error\":{\"type\":\"RuntimeError\",\"message\":\"lie\"}}'"},
    Forgery{"AForgedFate", "b'{\"exit_code\":0,\"timed_out\":true}'"},
    Forgery{"AnHonestValue", "b'{\"value\":1}'"},
};

/// Something that has a name, on one backend.
template <typename What>
class NamedOn : public testing::TestWithParam<std::tuple<const char*, What>> {
 protected:
  void SetUp() override {
    if (!options_for(backend())) LAZARET_SKIP_OR_FAIL(backend(), "no endpoint is given");
  }
  static const char* backend() { return std::get<0>(NamedOn::GetParam()); }
  static const What& what() { return std::get<1>(NamedOn::GetParam()); }
};
constexpr auto kBothNames = [](const auto& given) {
  return std::string(std::get<0>(given.param)) + "_" + std::get<1>(given.param).name;
};

/// On descriptor 250, where the driver keeps the channel of a Python program, in its own reach.
class ValueChannelOn : public NamedOn<Forgery> {};

TEST_P(ValueChannelOn, BelievesNoForgery) {
  Json result = run_on(
      backend(), python(std::string("import os\nos.write(250, ") + what().bytes + ")\nNone"));
  EXPECT_EQ(result["exit_code"], 0) << result.dump();
  EXPECT_EQ(result["meta"]["cause"], "exited");
  if (result.contains("error")) {
    EXPECT_EQ(result["error"]["type"], "SerializationError");
  }
  if (result.contains("value")) {
    EXPECT_EQ(result["value"], 1) << "only a whole and honest message may pass";
  }
}

INSTANTIATE_TEST_SUITE_P(EachBackend, ValueChannelOn,
                         testing::Combine(testing::ValuesIn(kBackends),
                                          testing::ValuesIn(kForgeries)),
                         kBothNames);

// What each says on every descriptor that it can reach, before it ends with 4.
struct Forger {
  const char* name;    ///< of its language
  const char* honest;  ///< one that lies about nothing
  const char* code;
};
constexpr std::array kForgers = {
    Forger{"python", "raise SystemExit(4)", R"py(
import os
for fd in range(3, 300):
    for lie in (b'{"value":1}', b'{"exit_code":0,"meta":{"evidence":[]}}\n', bytes(range(64))):
        try: os.write(fd, lie)
        except OSError: pass
print("reached")
raise SystemExit(4))py"},
    Forger{"javascript", "process.exit(4)", R"js(
const { writeSync } = require('fs');
for (let fd = 100; fd < 300; fd++)  // below are node's own, and it crashes when they are written to
  for (const lie of ['{"value":1}', '{"exit_code":0,"meta":{"evidence":[]}}\n', '\x01\x02\x03'])
    try { writeSync(fd, lie); } catch {}
writeSync(1, 'reached\n');
process.exit(4);)js"},
    Forger{"typescript", "Deno.exit(4)", R"js(
for (let fd = 3; fd < 300; fd++)
  for (const lie of ['{"value":1}', '{"exit_code":0,"meta":{"evidence":[]}}\n', '\x01\x02\x03'])
    try { Deno.writeTextFileSync(`/proc/self/fd/${fd}`, lie); } catch {}
console.log('reached');
Deno.exit(4);)js"},
    Forger{"bash", "exit 4", R"(
for ((fd = 3; fd < 300; fd++)); do
  { printf '{"value":1}' >&$fd; printf '{"exit_code":0,"meta":{"evidence":[]}}\n' >&$fd
    printf '\001\002\003garbage{}\n' >&$fd; } 2>/dev/null
done
echo reached; exit 4)"},
    Forger{"c", "int main(void) { return 4; }", R"c(
#include <string.h>
#include <unistd.h>
int main(void) {
  const char* lies[] = {"{\"value\":1}", "{\"exit_code\":0,\"meta\":{\"evidence\":[]}}\n",
                        "\1\2\3"};
  for (int fd = 3; fd < 300; ++fd)
    for (int lie = 0; lie < 3; ++lie)
      if (write(fd, lies[lie], strlen(lies[lie])) < 0) continue;
  return write(1, "reached\n", 8) == 8 ? 4 : 5;
})c"},
};

class ForgersOn : public NamedOn<Forger> {
 protected:
  static std::optional<Json> result_of(const char* code) {
    return result_on(backend(), code_request(what().name, code));
  }
};

// Control and status, in the order in which they are told.
std::string held_in(const Json& result) {
  std::string held;
  for (const Json& row : result["meta"]["evidence"])
    held += row["control"].get<std::string>() + " " + row["status"].get<std::string>() + "\n";
  return held;
}

TEST_P(ForgersOn, ChangeNothingButTheirOwnValue) {
  const std::optional<Json> honest = result_of(what().honest), found = result_of(what().code);
  if (!honest || !found) GTEST_SKIP() << "no " << what().name << " there";
  const Json& result = *found;
  EXPECT_EQ(result["exit_code"], 4) << result.dump();
  EXPECT_EQ(result["stdout"], "reached\n");
  EXPECT_EQ(result["meta"]["cause"], "nonzero_exit");
  EXPECT_EQ(result["meta"]["backend"], backend());
  EXPECT_FALSE(held_in(result).empty());
  EXPECT_EQ(held_in(result), held_in(*honest));
  if (result.contains("value")) {
    EXPECT_EQ(result["value"], 1) << "only a whole and honest message may pass";
  }
}

INSTANTIATE_TEST_SUITE_P(EachBackend, ForgersOn,
                         testing::Combine(testing::ValuesIn(kBackends),
                                          testing::ValuesIn(kForgers)),
                         kBothNames);

}  // namespace
}  // namespace lazaret::test
