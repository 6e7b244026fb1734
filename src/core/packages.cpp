#include "core/packages.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "os/plain_file.hpp"
#include "os/random.hpp"
#include "policy/packages.hpp"

namespace lazaret::embedded {
extern const std::string_view packages_python;      // core/packages/python.py
extern const std::string_view packages_javascript;  // and javascript.js
}  // namespace lazaret::embedded

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

// What the installer leaves below /work/out, and what a layer has in it.
constexpr const char* kInstalled = "packages";

constexpr std::chrono::milliseconds kInstallTime{300'000};
constexpr std::uint64_t kInstallBytes = 1ULL << 30, kInstallFiles = 65'536;

Result<std::string> digest_of(const fs::path& path) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(path, os::LastLink::follow));
  Sha256 digest;
  std::array<std::byte, 1UL << 16> part;
  for (;;) {
    LAZARET_TRY(const std::size_t count, file.read(part));
    digest.update(Bytes(part).first(count));
    if (count < part.size()) return to_hex(digest.finish());
  }
}

// How a language has its packages installed, and by what they are run.
struct Way {
  std::string_view language;
  const std::string_view& installer;
  const char* interpreter;
};

const Way& way_of(std::string_view language) {
  static const Way python{"python", embedded::packages_python, "python3"};
  static const Way javascript{"javascript", embedded::packages_javascript, "node"};
  return language == javascript.language ? javascript : python;
}

Result<std::vector<Package>> packages_of(const std::vector<std::string>& paths,
                                         std::string_view language) {
  std::vector<Package> packages;
  for (const std::string& path : paths) {
    LAZARET_TRY(policy::PackageName named, policy::package_named(path, language));
    LAZARET_TRY(std::string digest, digest_of(path).within(path));
    packages.push_back({fs::path(path).filename().string(), std::move(named.name),
                        std::move(named.version), std::move(digest)});
  }
  std::ranges::sort(packages, {}, &Package::file);
  return packages;
}

// Of a box's PATH. Another one of the same name may want others.
std::string interpreter_of(const Way& way) {
  std::error_code ignored;
  for (const char* const folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    const fs::path program = fs::canonical(fs::path(folder) / way.interpreter, ignored);
    if (program.empty()) continue;
    const auto changed = fs::last_write_time(program, ignored).time_since_epoch().count();
    return program.string() + "\n" + std::to_string(changed) + "\n";
  }
  return "";
}

std::string name_of_layer(const Way& way, const std::vector<Package>& packages) {
  std::string text = interpreter_of(way);
  for (const Package& package : packages) text += package.sha256 + " " + package.file + "\n";
  return to_hex(sha256(bytes_of(text)));
}

ExecutionRequest installation_of(const Wish& wish, const Way& way, const fs::path& into) {
  const auto& [request, language, maxima] = wish;
  ExecutionRequest wanted;
  wanted.language = way.language;
  wanted.code = way.installer;
  for (const std::string& path : request.packages)
    wanted.inputs.push_back({"packages/" + fs::path(path).filename().string(), {}, path});
  wanted.output_directory = into.string();
  wanted.limits.timeout = std::min(maxima.timeout, kInstallTime);
  wanted.limits.memory_bytes = std::min(maxima.memory_bytes, kInstallBytes);
  wanted.limits.disk_bytes = std::min(maxima.disk_bytes, kInstallBytes);
  wanted.limits.file_bytes = std::min(maxima.file_bytes, kInstallBytes);
  wanted.limits.disk_files = std::min(maxima.disk_files, kInstallFiles);
  wanted.subprocess = Subprocess::allow;  // archives are built by programs
  wanted.required_controls = request.required_controls;
  wanted.stop = request.stop;
  return wanted;
}

// What the installer says last of what went wrong.
std::string reason_of(const ExecutionResult& result) {
  constexpr std::string_view kMark = "ERROR: ";
  std::string_view last;
  for (const std::string_view line : split(result.stderr_text, '\n')) {
    if (line.starts_with(kMark)) last = line.substr(kMark.size());
  }
  if (!last.empty() && result.meta.cause == Cause::nonzero_exit) return std::string(last);
  return result.error ? result.error->message : std::string(name_of(result.meta.cause));
}

Error not_installed(const ExecutionResult& result) {
  if (result.meta.cause == Cause::cancelled) return Error(Errc::cancelled, "cancelled");
  Error error(Errc::start_failed, "the packages cannot be installed: " + reason_of(result));
  if (result.meta.cause != Cause::nonzero_exit) return error;
  return std::move(error).with_hint(
      "give the files of all that they need: there is no index to ask for the rest");
}

// The box says how much there is; that all of it has come is not left to it.
bool has_all(const ExecutionResult& result) {
  const auto said = nlohmann::json::parse(result.value.value_or(""), nullptr, false);
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  for (const Artifact& artifact : result.artifacts) {
    if (artifact.kind != Artifact::Kind::file) continue;
    ++files;
    bytes += artifact.size;
  }
  return said == nlohmann::json{{"files", files}, {"bytes", bytes}};
}

// Boxes are other users, whatever the umask of who has made it.
void let_read(const fs::path& tree) {
  constexpr fs::perms kLook = fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kEnter = kLook | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(tree, kEnter, fs::perm_options::add);
  for (const auto& entry : fs::recursive_directory_iterator(tree))
    fs::permissions(entry, entry.is_directory() ? kEnter : kLook, fs::perm_options::add);
}

// A directory for what is being made, which goes with it; those of who was killed go after a day.
class Staging {
 public:
  explicit Staging(const fs::path& store) : path_(store / (kPrefix + os::random_hex(8))) {
    fs::create_directories(store);
    for (const auto& entry : fs::directory_iterator(store)) {
      const bool is_left = entry.path().filename().string().starts_with(kPrefix) &&
                           fs::file_time_type::clock::now() - entry.last_write_time() > kLeft;
      if (is_left) fs::remove_all(entry.path());
    }
    fs::create_directory(path_);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  static constexpr std::chrono::hours kLeft{24};
  static inline const std::string kPrefix = ".making-";
  fs::path path_;
};

Error no_store(const fs::filesystem_error& problem) {
  return Error(Errc::system, "packages cannot be kept: " + std::string(problem.what()))
      .with_os_error(problem.code().value())
      .with_hint("set XDG_CACHE_HOME to a directory that can be written to");
}

// Whole or not at all; where somebody else was sooner, his is as good.
Status make_layer(const Wish& wish, const Way& way, const fs::path& layer,
                  const Installer& install) try {
  const Staging staging(layer.parent_path());
  const ExecutionResult result = install(installation_of(wish, way, staging.path() / "out"));
  if (!result.success()) return not_installed(result);
  if (!has_all(result))
    return Error(Errc::start_failed, "not all of the packages came out of the box that made them");
  let_read(staging.path() / "out");
  std::error_code taken;
  fs::rename(staging.path() / "out", layer, taken);
  if (!taken || fs::exists(layer / kInstalled)) return {};
  throw fs::filesystem_error("renaming", layer, taken);
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

}  // namespace

Result<PackageLayer> layer_of(const Wish& wish, const fs::path& store, const Installer& install) {
  if (store.empty())
    return Error(Errc::system, "there is no place to keep packages")
        .with_hint("set HOME or XDG_CACHE_HOME");
  const Way& way = way_of(wish.language);
  LAZARET_TRY(std::vector<Package> packages, packages_of(wish.request.packages, way.language));
  const fs::path layer = store / name_of_layer(way, packages);
  std::error_code ignored;
  if (!fs::exists(layer / kInstalled, ignored))
    LAZARET_CHECK(make_layer(wish, way, layer, install));
  return PackageLayer{fs::canonical(layer, ignored) / kInstalled, std::move(packages)};
}

}  // namespace lazaret::core
