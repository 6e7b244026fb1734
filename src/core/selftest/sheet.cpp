#include "core/selftest/sheet.hpp"

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "base/number.hpp"
#include "base/try.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core::selftest {
namespace {

using nlohmann::json;
using policy::Unit;

constexpr std::string_view kMark = "#: ";

Error bad(std::string_view what, std::string_view text) {
  return Error(Errc::invalid_argument, std::string(what) + ": " + policy::in_quotes(text));
}

// What stands before the first separator; `text` keeps what comes after it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

template <typename T>
Result<T> number_in(std::string_view text) {
  const auto number = parse_number<T>(text);
  if (!number) return bad("not a number", text);
  return T{*number};
}

Result<Control> control_in(std::string_view text) {
  const auto control = control_named(text);
  if (!control) return bad("not a control", text);
  return *control;
}

Result<std::string> string_in(std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_string()) return bad("not a JSON string", text);
  return parsed.get<std::string>();
}

struct LimitWord {
  std::string_view name;
  Unit unit;
  void (*set)(LimitOverrides& limits, double amount);
};

template <auto Member>
void set(LimitOverrides& limits, double amount) {
  using T = typename std::decay_t<decltype(limits.*Member)>::value_type;
  if constexpr (std::is_arithmetic_v<T>) {
    limits.*Member = static_cast<T>(amount);
  } else {
    limits.*Member = T{static_cast<std::int64_t>(amount)};
  }
}

constexpr LimitWord kLimitWords[] = {
    {"timeout", Unit::milliseconds, set<&LimitOverrides::timeout>},
    {"grace", Unit::milliseconds, set<&LimitOverrides::grace>},
    {"cpu_time", Unit::seconds, set<&LimitOverrides::cpu_time>},
    {"memory", Unit::bytes, set<&LimitOverrides::memory_bytes>},
    {"cpus", Unit::processors, set<&LimitOverrides::cpus>},
    {"pids", Unit::count, set<&LimitOverrides::pids>},
    {"open_files", Unit::count, set<&LimitOverrides::open_files>},
    {"file_size", Unit::bytes, set<&LimitOverrides::file_bytes>},
    {"disk", Unit::bytes, set<&LimitOverrides::disk_bytes>},
    {"disk_files", Unit::count, set<&LimitOverrides::disk_files>},
    {"stdout", Unit::bytes, set<&LimitOverrides::stdout_bytes>},
};

Status take_limit(Probe& probe, std::string_view name, std::string_view amount) {
  for (const LimitWord& word : kLimitWords) {
    if (word.name != name) continue;
    LAZARET_TRY(const double parsed, policy::parse_quantity(amount, word.unit));
    word.set(probe.limits, parsed);
    return {};
  }
  return bad("not a limit", name);
}

using Take = Status (*)(Probe& probe, std::string_view text);
struct Word {
  std::string_view name;
  Take take;
};

// from_chars for doubles is missing in what clang 14 comes with on some systems.
Result<double> decimal_in(std::string_view text) { return policy::parse_plain_seconds(text); }

constexpr Word kExpectWords[] = {
    {"cause",
     [](Probe& probe, std::string_view text) -> Status {
       while (!text.empty()) probe.expectation.causes.emplace_back(take_until(text, '|'));
       return {};
     }},
    {"cause_of",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.cause_of, control_in(text));
       return {};
     }},
    {"exit",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.exit_code, number_in<int>(text));
       return {};
     }},
    {"signal",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.signal, number_in<int>(text));
       return {};
     }},
    {"seconds",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.seconds, decimal_in(text));
       return {};
     }},
    {"cpu_share",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.cpu_share, decimal_in(text));
       return {};
     }},
    {"stdout_bytes",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.stdout_bytes, number_in<std::uint64_t>(text));
       return {};
     }},
    {"truncated",
     [](Probe& probe, std::string_view text) -> Status {
       if (text != "stdout" && text != "both") return bad("neither stdout nor both", text);
       probe.expectation.truncated = text;
       return {};
     }},
    {"error",
     [](Probe& probe, std::string_view text) -> Status {
       probe.expectation.error = text;
       return {};
     }},
    {"enforced",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.enforced, control_in(text));
       return {};
     }},
    {"survivors",
     [](Probe& probe, std::string_view text) -> Status {
       if (text != "0") return bad("no other number of survivors is right", text);
       probe.expectation.no_survivors = true;
       return {};
     }},
};

template <std::size_t Size>
Status take_word(const Word (&words)[Size], Probe& probe, std::string_view name,
                 std::string_view text) {
  for (const Word& word : words) {
    if (word.name == name) return word.take(probe, text).within(name);
  }
  return bad("unknown word", name);
}

constexpr Word kWords[] = {
    {"expect",
     [](Probe& probe, std::string_view text) -> Status {
       probe.kind = Kind::program;
       while (!text.empty()) {
         std::string_view pair = take_until(text, ' ');
         const std::string_view name = take_until(pair, '=');
         LAZARET_CHECK(take_word(kExpectWords, probe, name, pair));
       }
       return {};
     }},
    {"limits",
     [](Probe& probe, std::string_view text) -> Status {
       while (!text.empty()) {
         std::string_view pair = take_until(text, ' ');
         const std::string_view name = take_until(pair, '=');
         LAZARET_CHECK(take_limit(probe, name, pair));
       }
       return {};
     }},
    {"twice",
     [](Probe& probe, std::string_view) -> Status {
       probe.twice = true;
       return {};
     }},
    {"scene",
     [](Probe& probe, std::string_view) -> Status {
       probe.needs_scene = true;
       return {};
     }},
    {"way-out",
     [](Probe& probe, std::string_view) -> Status {
       probe.way_out = true;
       return {};
     }},
    {"by-design",
     [](Probe& probe, std::string_view text) -> Status {
       probe.by_design = text;
       return {};
     }},
    {"by-design-without",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.by_design_without, control_in(take_until(text, ' ')));
       probe.by_design = text;
       return {};
     }},
    {"by-design-of-engines",
     [](Probe& probe, std::string_view text) -> Status {
       probe.by_design_of_engines = true;
       probe.by_design = text;
       return {};
     }},
    {"no-control",
     [](Probe& probe, std::string_view text) -> Status {
       probe.no_control = text;
       return {};
     }},
    {"optional",
     [](Probe& probe, std::string_view text) -> Status {
       probe.optional = text;
       return {};
     }},
    {"refused-by",
     [](Probe& probe, std::string_view text) -> Status {
       while (!text.empty()) probe.refused_by.emplace_back(take_until(text, ' '));
       return {};
     }},
    {"signals",
     [](Probe& probe, std::string_view text) -> Status {
       while (!text.empty()) {
         LAZARET_TRY(const int number, number_in<int>(take_until(text, ' ')));
         probe.signals.push_back(number);
       }
       return {};
     }},
    {"stdout",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.standard_output, string_in(text));
       return {};
     }},
    {"stderr",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.standard_error, string_in(text));
       return {};
     }},
    {"value",
     [](Probe& probe, std::string_view text) -> Status {
       probe.expectation.value = text;
       return {};
     }},
    {"contents",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.expectation.contents, string_in(text));
       return {};
     }},
    {"text",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.code, string_in(text));
       return {};
     }},
    {"language",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.language, string_in(text));
       return {};
     }},
    {"image",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(probe.image, string_in(text));
       return {};
     }},
    {"env",
     [](Probe& probe, std::string_view text) -> Status {
       const json variables = json::parse(text, nullptr, false);
       if (!variables.is_object()) return bad("not a JSON object", text);
       for (const auto& [name, value] : variables.items()) {
         if (!value.is_string()) return bad("not a JSON string", name);
         probe.environment[name] = value.get<std::string>();
       }
       return {};
     }},
    {"input",
     [](Probe& probe, std::string_view text) -> Status {
       LAZARET_TRY(const auto mebibytes, number_in<std::uint64_t>(text));
       probe.input_bytes = mebibytes << 20;
       return {};
     }},
};

bool begins_probe(std::string_view line) {
  return line.size() > 2 && line[0] >= 'A' && line[0] <= 'Z' && line[1] == '-';
}

Status begin(std::vector<Probe>& probes, std::string_view line) {
  Probe probe;
  probe.id = take_until(line, ' ');
  LAZARET_TRY(probe.row, number_in<int>(take_until(line, ' ')));
  probe.title = line;
  if (probe.title.empty()) return bad("no title", probe.id);
  probes.push_back(std::move(probe));
  return {};
}

Status take_line(std::vector<Probe>& probes, std::string_view line) {
  const bool marked = line.substr(0, kMark.size()) == kMark;
  if (!marked) {
    if (!probes.empty()) probes.back().code.append(line).append("\n");
    return {};
  }
  line.remove_prefix(kMark.size());
  if (begins_probe(line)) return begin(probes, line);
  if (probes.empty()) return bad("no probe has begun", line);
  const std::string_view name = take_until(line, ' ');
  return take_word(kWords, probes.back(), name, line).within(probes.back().id);
}

}  // namespace

Result<std::vector<Probe>> parse_sheet(std::string_view text) {
  std::vector<Probe> probes;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    LAZARET_CHECK(take_line(probes, line).within("line " + std::to_string(number)));
  }
  return probes;
}

}  // namespace lazaret::core::selftest
