#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"
#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"
#include "lazaret/terminal.hpp"
#include "policy/hosts.hpp"

namespace lazaret::policy {

/// What to start inside the box, and with which files beside it. Paths are the box's own.
struct Program {
  struct File {
    std::string path;  ///< absolute, in /work
    std::string content;
  };
  std::vector<std::string> argv;
  std::vector<File> files;
  std::vector<std::string> compiler;  ///< what runs before `argv` and makes it; empty: nothing
  std::map<std::string, std::string> compiler_environment;  ///< on top of the program's
  std::string needs;  ///< what to install where the runtime is missing
  std::string working_directory = "/work";
  std::vector<std::string> seeds;                  ///< that are fixed; see Meta::fixed
  std::map<std::string, std::string> environment;  ///< the runtime's own

  /// How its interpreter is started before it is known what to run, and what that one is told then.
  struct Ahead {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  ///< NAME=value, for the waiting one only
    std::string says;                      ///< once it waits; empty: nothing
    std::string word;                      ///< that starts the program
    bool takes_leave = false;              ///< it is told a farewell as well; see runner::Job
  };
  std::optional<Ahead> ahead;  ///< none: it can only be started itself

  std::vector<std::string> cells;  ///< starts an interpreter that runs cells; empty: there is none
  /// What a context runs instead; its interpreter is started by `cells`, where it is not there yet.
  struct Cell {
    std::string context;
    std::string code;
    std::uint32_t number = 1;  ///< of the context's
  };
  std::optional<Cell> cell;
};

/// Where one of its files lies, relative to /work.
[[nodiscard]] inline std::string_view path_in_work(const Program::File& file) {
  return std::string_view(file.path).substr(std::string_view("/work/").size());
}

/// What standard input and output are: a program's, bounded and kept; or those of a program of ours
/// that carries connections, passed on as they come, whole, and not kept.
enum class Streams { kept, relayed };

/// Request and configuration resolved and checked: the only thing a backend obeys.
struct Spec {
  std::string language;  ///< driver name, or "exec" for a plain command
  std::string image;     ///< container backends only
  Program program;
  std::map<std::string, std::string> environment;  ///< complete; nothing is inherited
  std::vector<std::string> fixed;                  ///< as in Meta
  Limits limits;
  std::set<Control> required;
  Subprocess subprocess = Subprocess::allow;
  Profile profile = Profile::standard;
  Loopback loopback = Loopback::down;
  Egress egress;
  std::vector<Mount> mounts;
  std::string packages;                  ///< source of the mount that Lazaret has made; or empty
  std::optional<TerminalSize> terminal;  ///< for the program; unset: it has pipes
  Streams streams = Streams::kept;
  bool keeps_box = false;        ///< others of its session's programs come before it and after it
  bool beside_contexts = false;  ///< of its session, which wait meanwhile
};

}  // namespace lazaret::policy
