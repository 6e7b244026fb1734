#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/images/definition.hpp"
#include "base/call.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

/// The file system of an image as a tar, made by mmdebstrap from Debian's packages.
namespace lazaret::backend::images {

using LineSink = std::function<void(std::string_view line)>;

/// What is run to get the tar on standard output, with a program of this machine's in
/// /usr/local/bin where its path is not empty.
[[nodiscard]] std::vector<std::string> mmdebstrap_argv(const std::vector<std::string>& packages,
                                                       const std::string& program = {});

struct RootfsRequest {
  std::vector<std::string> packages;
  std::string program = {};              ///< path on this machine; often empty
  std::vector<std::string> environment;  ///< of our own process; only a few variables are used
  LineSink progress;
};
/// Runs mmdebstrap and returns its tar as a source, once the first bytes are there; about a minute.
/// The source ends with an Error when mmdebstrap does not end well; it is bound to `call` and to
/// this thread. Errors: not_found (no mmdebstrap), engine (it failed), with a hint.
[[nodiscard]] Result<http::BodySource> make_rootfs(const RootfsRequest& request, const Call& call);

/// Where a tar is kept for the rest of the day (UTC): its packages get updates.
[[nodiscard]] std::filesystem::path cached_path(const std::filesystem::path& folder,
                                                std::string_view name,
                                                std::string_view packages_sha256,
                                                std::chrono::system_clock::time_point now);
/// Writes all of `source` to `path`, which appears when it is complete; makes its folder.
/// Errors: permission_denied when others may write to the folder; those of the source; system.
[[nodiscard]] Status save(const http::BodySource& source, const std::filesystem::path& path);
/// Errors: not_found.
[[nodiscard]] Result<http::BodySource> open_saved(const std::filesystem::path& path);

}  // namespace lazaret::backend::images
