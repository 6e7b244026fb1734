#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "api/cli/errand.hpp"
#include "base/tar_reader.hpp"
#include "core/artifacts.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

namespace lazaret::cli {

/// How much has come to its place.
struct Traffic {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> warnings;
};

/// The files of a session that the daemon keeps. They go as archives, so that memory is bounded
/// whatever their length. Errors: those of the daemon and of this machine's files.
class SessionFiles {
 public:
  SessionFiles(Errand& errand, const std::string& session);

  struct Listing {
    std::string text;  ///< as the daemon says it
    std::vector<Artifact> files;
    std::vector<std::string> warnings;
  };
  /// What is asked of the daemon to be told what changes there.
  [[nodiscard]] static std::string watch_of(const std::string& session, const std::string& path);
  /// A file, or what lies below a directory, without content.
  [[nodiscard]] Result<Listing> list(const std::string& path) const;
  /// What has this name alone, a link or a directory itself.
  [[nodiscard]] Result<Listing> stat(const std::string& path) const;
  /// Files and directories of this machine's, into a directory; what is there gives way. One
  /// that is a link is followed; links in directories are refused.
  [[nodiscard]] Result<Traffic> put(const std::vector<std::string>& sources,
                                    const std::string& directory) const;
  /// Into a directory of this machine's, where nothing gives way.
  [[nodiscard]] Result<Traffic> get(const std::string& path,
                                    const std::filesystem::path& directory) const;
  [[nodiscard]] Status make_directory(const std::string& path) const;
  [[nodiscard]] Status move(const std::string& path, const std::string& target) const;
  [[nodiscard]] Status remove(const std::string& path) const;

 private:
  using Names = std::multiset<std::string>;
  [[nodiscard]] Result<Listing> ask_for(const std::string& query) const;
  [[nodiscard]] Status change(const std::string& method, const std::string& query,
                              const nlohmann::json& body) const;
  [[nodiscard]] Result<std::uint64_t> disk_bytes() const;
  [[nodiscard]] Result<bool> take_all(const std::string& path, core::ArtifactTaker& taker,
                                Names& taken) const;
  [[nodiscard]] static Status take(const TarHead& head, TarReader& reader,
                                   core::ArtifactTaker& taker);
  [[nodiscard]] Status tell_not_taken(const std::string& path, const std::vector<Artifact>& listed,
                                      Names taken, std::vector<std::string>& warnings) const;
  /// What stands in the way of reading it; a directory is well.
  [[nodiscard]] Status look_at(const std::string& path) const;

  Errand& errand_;
  std::string session_;
  std::string target_;
};

}  // namespace lazaret::cli
