#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "unit/runner/fake_wire.hpp"

/// What a box says of its files, and what it is told of them.
namespace lazaret::core::test {

inline void say_entry(runner::test::FakeWire& wire, runner::Entry::Kind kind, std::string path,
                      std::uint64_t size = 0, std::string target = {}) {
  wire.say(runner::FrameType::entry,
           encode(runner::Entry{kind, false, size, std::move(path), std::move(target)}));
}
/// Its head may promise another size than there is.
inline void say_file(runner::test::FakeWire& wire, std::string path, std::string_view text,
                     std::uint64_t size) {
  say_entry(wire, runner::Entry::Kind::file, std::move(path), size);
  if (!text.empty()) wire.say(runner::FrameType::entry_data, text);
  wire.say(runner::FrameType::entry_data, Bytes());
}
inline void say_file(runner::test::FakeWire& wire, std::string path, std::string_view text) {
  say_file(wire, std::move(path), text, text.size());
}
inline void say_end(runner::test::FakeWire& wire, runner::Got got = {}) {
  wire.say(runner::FrameType::got, encode(got));
}

/// "file data/a 3", "program a 3", "directory data", "link a -> b".
[[nodiscard]] inline std::string words_of(const runner::Entry& entry) {
  using Kind = runner::Entry::Kind;
  if (entry.kind == Kind::directory) return "directory " + entry.path;
  if (entry.kind == Kind::link) return "link " + entry.path + " -> " + entry.target;
  return (entry.executable ? "program " : "file ") + entry.path + " " + std::to_string(entry.size);
}

}  // namespace lazaret::core::test
