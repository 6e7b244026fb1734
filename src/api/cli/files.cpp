#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/errand.hpp"
#include "api/cli/files_watch.hpp"
#include "api/cli/session_files.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"

namespace lazaret::cli {
namespace {

struct FilesFlags {
  std::string session;
  std::string path = ".";
  std::string target;
  std::vector<std::string> names;
};

void show_files(const std::vector<Artifact>& files) {
  std::printf("%-10s %12s  %s\n", "TYPE", "BYTES", "PATH");
  for (const Artifact& file : files)
    std::printf("%-10s %12llu  %s\n", std::string(name_of(file.kind)).c_str(),
                static_cast<unsigned long long>(file.size), printable(file.path, '?').c_str());
}

using Look = Result<SessionFiles::Listing> (SessionFiles::*)(const std::string& path) const;
int list_files(const Common& common, const FilesFlags& flags, Look look) {
  Errand errand;
  const SessionFiles files(errand, flags.session);
  const auto listing = (files.*look)(flags.path);
  if (!listing.ok()) return errand.fail(listing.error());
  if (common.json)
    std::printf("%s\n", listing->text.c_str());
  else
    show_files(listing->files);
  if (common.quiet) return 0;
  for (const std::string& warning : listing->warnings) note("warning: " + warning);
  return 0;
}

int tell(const Common& common, const Traffic& traffic, const char* what) {
  const nlohmann::ordered_json json = {
      {"files", traffic.files}, {"bytes", traffic.bytes}, {"warnings", traffic.warnings}};
  if (common.json)
    std::printf("%s\n",
                json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  if (common.quiet || common.json) return 0;
  note(std::to_string(traffic.files) + (traffic.files == 1 ? " file, " : " files, ") +
       std::to_string(traffic.bytes) + " bytes " + what);
  for (const std::string& warning : traffic.warnings) note("warning: " + warning);
  return 0;
}

int put_files(const Common& common, const FilesFlags& flags) {
  Errand errand;
  const auto traffic = SessionFiles(errand, flags.session).put(flags.names, flags.path);
  if (!traffic.ok()) return errand.fail(traffic.error());
  return tell(common, *traffic, "put");
}

int get_files(const Common& common, const FilesFlags& flags) {
  Errand errand;
  const auto traffic = SessionFiles(errand, flags.session).get(flags.path, flags.target);
  if (!traffic.ok()) return errand.fail(traffic.error());
  return tell(common, *traffic, "taken");
}

// The names one after the other, up to the first that cannot be.
using Change = Status (SessionFiles::*)(const std::string& path) const;
int change_each(const FilesFlags& flags, Change change) {
  Errand errand;
  const SessionFiles files(errand, flags.session);
  for (const std::string& name : flags.names) {
    if (const Status done = (files.*change)(name); !done.ok()) return errand.fail(done.error());
  }
  return 0;
}

int move_files(const FilesFlags& flags) {
  Errand errand;
  const Status moved = SessionFiles(errand, flags.session).move(flags.path, flags.target);
  return moved.ok() ? 0 : errand.fail(moved.error());
}

// A command of the group, whose first word is the session.
struct Member {
  CLI::App& command;
  std::shared_ptr<FilesFlags> flags = std::make_shared<FilesFlags>();

  Member(CLI::App& group, const char* name, const char* help)
      : command(*group.add_subcommand(name, help)) {
    command.add_option("session", flags->session, "the session's id")
        ->required()
        ->check(flaw_of_id);
  }
  CLI::Option& word(const char* name, std::string& target, const char* help) {
    return *command.add_option(name, target, help);
  }
  void words(const char* name, const char* help) {
    command.add_option(name, flags->names, help)->required();
  }
  void does(Action& chosen, std::function<int(const FilesFlags&)> action) {
    command.callback([&chosen, flags = flags, action = std::move(action)] {
      chosen = [flags, action] { return action(*flags); };
    });
  }
};

void add_transfers(CLI::App& group, Common& common, Action& chosen) {
  Member sending(group, "put", "put files and directories of this machine below /work");
  sending.words("files", "of this machine");
  sending.word("--to", sending.flags->path, "directory below /work; else /work itself");
  add_output(sending.command, common);
  sending.does(chosen, [&common](const auto& flags) { return put_files(common, flags); });
  Member taking(group, "get", "take a file, or what lies below a directory, to this machine");
  taking.word("path", taking.flags->path, "below /work; \".\" is all of it").required();
  taking.word("directory", taking.flags->target, "of this machine; nothing in it is replaced")
      .required();
  add_output(taking.command, common);
  taking.does(chosen, [&common](const auto& flags) { return get_files(common, flags); });
}

void add_changes(CLI::App& group, Action& chosen) {
  Member making(group, "mkdir", "make directories below /work, and those on the way");
  making.words("paths", "below /work");
  making.does(chosen,
              [](const auto& flags) { return change_each(flags, &SessionFiles::make_directory); });
  Member moving(group, "mv", "give something another path, where nothing may be");
  moving.word("path", moving.flags->path, "below /work").required();
  moving.word("target", moving.flags->target, "below /work; directories on the way are made")
      .required();
  moving.does(chosen, move_files);
  Member removing(group, "rm", "remove files, links, and directories with all that is in them");
  removing.words("paths", "below /work");
  removing.does(chosen,
                [](const auto& flags) { return change_each(flags, &SessionFiles::remove); });
}

}  // namespace

void add_files(CLI::App& app, Common& common, Action& chosen) {
  auto* const group = app.add_subcommand("files", "the files of a session");
  group->footer(
      "  ID=$(lazaret session new --lang python)\n"
      "  lazaret files put $ID data.csv model/\n"
      "  lazaret session run $ID analyse.py\n"
      "  lazaret files ls $ID out\n"
      "  lazaret files get $ID out results/\n"
      "  lazaret files watch $ID out\n"
      "Of any length: they go as archives. A daemon keeps the session: `lazaret serve`.");
  group->require_subcommand(1);
  Member listing(*group, "ls", "what lies below a directory of /work, or one file");
  listing.word("path", listing.flags->path, "below /work; else all of it");
  add_output(listing.command, common);
  listing.does(chosen, [&common](const auto& flags) {
    return list_files(common, flags, &SessionFiles::list);
  });
  Member looking(*group, "stat", "what has this name: a file, a directory itself or a link");
  looking.word("path", looking.flags->path, "below /work").required();
  add_output(looking.command, common);
  looking.does(chosen, [&common](const auto& flags) {
    return list_files(common, flags, &SessionFiles::stat);
  });
  Member watching(*group, "watch", "tell what changes, until an interrupt or the session's end");
  watching.word("path", watching.flags->path, "below /work; else all of it");
  add_output(watching.command, common);
  watching.does(chosen, [&common](const auto& flags) {
    return watch_files(common, SessionFiles::watch_of(flags.session, flags.path));
  });
  add_transfers(*group, common, chosen);
  add_changes(*group, chosen);
}

}  // namespace lazaret::cli
