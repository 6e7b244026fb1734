#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"

namespace lazaret::policy {

/// What to start inside the box, and with which files beside it. Paths are the box's own.
struct Program {
  struct File {
    std::string path;     ///< absolute, in /work
    std::string content;
  };
  std::vector<std::string> argv;
  std::vector<File> files;
  std::string working_directory = "/work";
};

/// Request and configuration resolved and checked: the only thing a backend obeys.
struct Spec {
  std::string language;  ///< driver name, or "exec" for a plain command
  std::string image;     ///< container backends only
  Program program;
  std::map<std::string, std::string> environment;  ///< complete; nothing is inherited
  Limits limits;
  std::set<Control> required;
};

}  // namespace lazaret::policy
