#include "core/packages.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/sha256.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/cause.hpp"
#include "core/package_store.hpp"
#include "os/plain_file.hpp"
#include "policy/packages.hpp"

namespace lazaret::embedded {
extern const std::string_view packages_python;      // core/packages/python.py
extern const std::string_view packages_javascript;  // and javascript.js
}  // namespace lazaret::embedded

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kInstallTime{300'000};
constexpr std::uint64_t kInstallBytes = 1ULL << 30, kInstallFiles = 65'536;
constexpr std::uint64_t kInstallWords = 1ULL << 20;
constexpr std::uint32_t kInstallTasks = 256, kInstallDescriptors = 1024;
constexpr std::size_t kMostReason = 500;

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

// Of a file's content, which goes into a copy where there is one.
Result<std::string> digest_of(const fs::path& path, const PackageWish& wish,
                              const os::PlainFile* copy) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(path, os::LastLink::follow));
  const std::uint64_t most = std::min(wish.maxima.file_bytes, kInstallBytes);
  Sha256 digest;
  std::array<std::byte, 1UL << 16> part;
  for (std::uint64_t seen = 0;;) {
    if (std::max(file.size(), seen) > most)
      return Error(Errc::too_large, path.string() + " is larger than " + std::to_string(most) +
                                        " bytes, the most of a package's file here");
    if (wish.request.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    LAZARET_TRY(const std::size_t count, file.read(part));
    digest.update(Bytes(part).first(count));
    if (copy != nullptr) LAZARET_CHECK(copy->write(Bytes(part).first(count)));
    if (count < part.size()) return to_hex(digest.finish());
    seen += count;
  }
}

std::string file_of(const std::string& path) { return fs::path(path).filename().string(); }

Result<std::vector<Package>> packages_of(const PackageWish& wish) {
  std::vector<Package> packages;
  for (const std::string& path : wish.request.packages) {
    LAZARET_TRY(policy::PackageName named, policy::package_named(path, wish.language));
    LAZARET_TRY(std::string digest, digest_of(path, wish, nullptr));
    packages.push_back({file_of(path), std::move(named.name), std::move(named.version),
                        std::move(digest)});
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
    return program.string() + "\n" + std::to_string(changed) + "\n" +
           std::to_string(fs::file_size(program, ignored)) + "\n";
  }
  return "";
}

// Names of files hold no line break.
std::string name_of_layer(const Way& way, const std::vector<Package>& packages) {
  std::string text = interpreter_of(way);
  for (const Package& package : packages) text += package.sha256 + " " + package.file + "\n";
  return to_hex(sha256(bytes_of(text)));
}

// WHY copies: what has been digested is what is installed, whoever exchanges the files meanwhile.
Result<std::vector<Input>> copies_of(const PackageWish& wish, const std::vector<Package>& packages,
                                     const fs::path& folder) {
  std::vector<Input> inputs;
  for (const std::string& path : wish.request.packages) {
    const std::string file = file_of(path);
    LAZARET_TRY(const os::PlainFile copy, os::PlainFile::create(folder / file, false));
    LAZARET_TRY(const std::string digest, digest_of(path, wish, &copy));
    const auto known = std::ranges::find(packages, file, &Package::file);
    if (known == packages.end() || known->sha256 != digest)
      return Error(Errc::start_failed, path + " has changed while it was read");
    inputs.push_back({"packages/" + file, {}, (folder / file).string()});
  }
  return inputs;
}

ExecutionRequest installation_of(const PackageWish& wish, const Way& way, std::vector<Input> inputs,
                                 const fs::path& into) {
  const auto& [request, language, maxima] = wish;
  ExecutionRequest wanted;
  wanted.language = way.language;
  wanted.code = way.installer;
  wanted.inputs = std::move(inputs);
  wanted.output_directory = into.string();
  wanted.limits.timeout = std::min(maxima.timeout, kInstallTime);
  wanted.limits.memory_bytes = std::min(maxima.memory_bytes, kInstallBytes);
  wanted.limits.disk_bytes = std::min(maxima.disk_bytes, kInstallBytes);
  wanted.limits.file_bytes = std::min(maxima.file_bytes, kInstallBytes);
  wanted.limits.disk_files = std::min(maxima.disk_files, kInstallFiles);
  wanted.limits.pids = std::min(maxima.pids, kInstallTasks);
  wanted.limits.open_files = std::min(maxima.open_files, kInstallDescriptors);
  wanted.limits.value_bytes = std::min(maxima.value_bytes, kInstallWords);
  wanted.limits.stderr_bytes = std::min(maxima.stderr_bytes, kInstallWords);
  if (maxima.cpu_time) wanted.limits.cpu_time = maxima.cpu_time;
  wanted.subprocess = Subprocess::allow;  // installers are programs that start others
  wanted.profile = request.profile;
  wanted.required_controls = request.required_controls;
  wanted.stop = request.stop;
  return wanted;
}

// pip shows what it has started with this below.
constexpr std::string_view kEndOfOutput = "[end of output]";

// What the installer says last of what went wrong, or what it has started to build one: foreign
// text, like all that comes of a box.
std::string last_word(std::string_view said) {
  constexpr std::string_view kMark = "ERROR: ";
  std::string_view marked, last;
  for (std::string_view line : split(said, '\n')) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with("note:") || line.starts_with("hint:")) continue;
    if (line.starts_with(kEndOfOutput)) marked = last;
    if (line.starts_with(kMark) && line != "ERROR: Exception:") marked = line.substr(kMark.size());
    last = line;
  }
  const std::string_view word = marked.empty() ? last : marked;
  return std::string(word.substr(0, whole_prefix(word.substr(0, kMostReason))));
}

Errc code_of(Cause cause) {
  switch (cause) {
    case Cause::cancelled: return Errc::cancelled;
    case Cause::enforcement_mismatch: return Errc::enforcement_mismatch;
    case Cause::backend_unavailable: return Errc::backend_unavailable;
    case Cause::infrastructure_lost: return Errc::connection_lost;
    default: return Errc::start_failed;
  }
}

Error not_installed(const ExecutionResult& result) {
  const bool by_itself = result.meta.cause == Cause::nonzero_exit;
  const std::string why = by_itself ? last_word(result.stderr_text)
                          : result.error ? result.error->message
                                         : std::string(name_of(result.meta.cause));
  Error error(code_of(result.meta.cause), "the packages cannot be installed: " + why);
  if (by_itself && (why.starts_with("No matching") || why.starts_with("no file gives")))
    return std::move(error).with_hint("there is no index to ask: give its file as well");
  const bool is_limit = error.code() == Errc::start_failed;  // and none that the run could raise
  if (is_limit && !by_itself)
    return std::move(error).with_hint(
        "a box that installs has what the maxima of the configuration allow, at most 1 GiB and "
        "five minutes");
  return result.error && result.error->hint ? std::move(error).with_hint(*result.error->hint)
                                            : error;
}

// As the box says; that it has come is not left to it.
TreeSize size_said(const ExecutionResult& result) {
  const auto said = nlohmann::json::parse(result.value.value_or(""), nullptr, false);
  const auto number = [&said](const char* key) {
    const auto found = said.is_object() ? said.find(key) : said.end();
    const bool is_there = said.is_object() && found != said.end() && found->is_number_unsigned();
    return is_there ? found->get<std::uint64_t>() : 0;
  };
  return {number("files"), number("bytes")};
}

Status make_layer(const PackageWish& wish, const std::vector<Package>& packages,
                  const fs::path& store, const Installer& install) {
  const Way& way = way_of(wish.language);
  LAZARET_TRY(const Staging staging, Staging::in(store));
  LAZARET_TRY(std::vector<Input> inputs, copies_of(wish, packages, staging.files()));
  const ExecutionResult result =
      install(installation_of(wish, way, std::move(inputs), staging.layer()));
  if (!result.success()) return not_installed(result);
  Status kept = staging.keep(name_of_layer(way, packages), size_said(result));
  if (kept.ok() || result.meta.warnings.empty()) return kept;
  return Error(kept.error()).with_hint(result.meta.warnings.front());
}

}  // namespace

// Trouble with the store is no fault of the request's.
Result<PackageLayer> layer_of(const PackageWish& wish, const fs::path& store,
                              const Installer& install) {
  const auto place = open_store(store);
  if (!place.ok()) return as_ours(place.error());
  LAZARET_TRY(std::vector<Package> packages, packages_of(wish));
  const std::string name = name_of_layer(way_of(wish.language), packages);
  LAZARET_TRY(auto layer, whole_layer(*place, name));
  if (!layer) {
    LAZARET_CHECK(make_layer(wish, packages, *place, install));
    LAZARET_TRY(layer, whole_layer(*place, name));
  }
  if (!layer) return Error(Errc::system, "the packages were taken away from " + place->string());
  return PackageLayer{std::move(*layer), std::move(packages)};
}

}  // namespace lazaret::core
