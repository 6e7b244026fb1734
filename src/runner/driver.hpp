#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How the program of each language is compiled and started in a box. Host side only.
namespace lazaret::runner {

using Words = std::vector<std::string>;

/// How an interpreter is started before there is a program: it comes as far as it can without one
/// and waits for its word. What it runs then is as it would be without all that.
struct Ahead {
  Words argv;                ///< as the program's begins
  Words environment;         ///< NAME=value, on top of the program's; taken away before it runs
  std::string says;          ///< on descriptor 3, once it waits; empty: nothing
  std::string word;          ///< what starts the program, on descriptor 4
  bool takes_leave = false;  ///< by a farewell that comes last in the word, behind a zero byte
};

/// What somebody wants to run.
struct Task {
  std::string_view code;
  const Words& arguments;
  std::uint64_t memory_bytes;      ///< the whole box's; a runtime's heap must end below it
  bool deterministic = false;      ///< its seeds are to be fixed, where the runtime can
  Words variables = {};            ///< names of those that the program has
  std::uint16_t way_out = 0;       ///< port of the loopback at which there is a proxy; or none
  Words hosts = {};                ///< that the program may reach; each with a port or without
  std::string_view packages = {};  ///< directory in the box that has some for it; or empty
  bool in_context = false;         ///< it is a cell: only then are there `cells`
};

/// How that is done. A compiler runs in /work, as the program does.
struct Recipe {
  std::string path;  ///< of the code in the box
  Words argv;        ///< complete, the interpreter or what was compiled first
  Words compiler;    ///< complete; empty where nothing is compiled
  std::vector<std::pair<std::string, std::string>> compiler_environment;
  std::optional<Ahead> ahead;  ///< none where nothing is gained by it
  Words seeds = {};            ///< that are fixed: "hash_seed", "random_seed"
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< on top of the program's
  /// Starts an interpreter that runs one cell after another, told on descriptor 4: the job's
  /// farewell, the cell's name and its code, with zero bytes between. Empty: there is none, or it
  /// was not asked for.
  Words cells = {};
};

struct Driver {
  std::string_view name;
  std::vector<std::string_view> aliases;
  Recipe (*recipe)(const Task& task);
  Words version;           ///< shows which runtime is there
  std::string_view needs;  ///< what to install where it is not
};

[[nodiscard]] const std::vector<Driver>& drivers();
/// By name or alias, in lower case; null when there is none.
[[nodiscard]] const Driver* driver_named(std::string_view name) noexcept;

}  // namespace lazaret::runner
