#include "core/package_box.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/sha256.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "os/plain_file.hpp"

namespace lazaret::embedded {
extern const std::string_view packages_pip;  // core/packages/pip.py
}  // namespace lazaret::embedded

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kTime{300'000};
constexpr std::uint64_t kBytes = 1ULL << 30, kFiles = 65'536, kWords = 1ULL << 20;
constexpr std::uint64_t kAnyAmount = 1ULL << 44;  // the most that may be asked for
constexpr std::uint32_t kTasks = 256, kDescriptors = 1024;
constexpr std::size_t kMostReason = 500;

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

std::string code_of(const PackageWish& wish, const PackageProgram& program) {
  if (wish.language != "python") return std::string(program.javascript);
  return std::string(embedded::packages_pip) + std::string(program.python);
}

Errc errc_of(Cause cause) {
  switch (cause) {
    case Cause::cancelled: return Errc::cancelled;
    case Cause::enforcement_mismatch: return Errc::enforcement_mismatch;
    case Cause::backend_unavailable: return Errc::backend_unavailable;
    case Cause::infrastructure_lost: return Errc::connection_lost;
    default: return Errc::start_failed;
  }
}

Result<std::string> digest(const fs::path& path, const PackageWish& wish,
                           const os::PlainFile* copy) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(path, os::LastLink::follow));
  const std::uint64_t most = std::min(wish.maxima.file_bytes, kBytes);
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

}  // namespace

ExecutionRequest request_for_packages(const PackageWish& wish, const PackageProgram& program,
                                      std::vector<Input> inputs, const fs::path& into) {
  const Limits& maxima = wish.maxima;
  ExecutionRequest wanted;
  wanted.language = wish.language;
  wanted.code = code_of(wish, program);
  wanted.inputs = std::move(inputs);
  wanted.output_directory = into.string();
  wanted.limits.timeout = std::min(maxima.timeout, kTime);
  wanted.limits.memory_bytes = std::min(maxima.memory_bytes, kBytes);
  wanted.limits.disk_bytes = std::min(maxima.disk_bytes, kBytes);
  wanted.limits.file_bytes = std::min(maxima.file_bytes, kBytes);
  wanted.limits.disk_files = std::min(maxima.disk_files, kFiles);
  wanted.limits.pids = std::min(maxima.pids, kTasks);
  wanted.limits.open_files = std::min(maxima.open_files, kDescriptors);
  wanted.limits.value_bytes = std::min(maxima.value_bytes, kWords);
  wanted.limits.stderr_bytes = std::min(maxima.stderr_bytes, kWords);
  if (maxima.cpu_time) wanted.limits.cpu_time = maxima.cpu_time;
  // What is fetched goes through its output.
  wanted.limits.output_bytes = maxima.output_bytes.value_or(kAnyAmount);
  wanted.subprocess = Subprocess::allow;  // installers are programs that start others
  wanted.profile = wish.request.profile;
  wanted.image = wish.request.image;
  wanted.required_controls = wish.request.required_controls;
  wanted.stop = wish.request.stop;
  return wanted;
}

Error no_packages(const ExecutionResult& result, std::string_view doing) {
  const bool by_itself = result.meta.cause == Cause::nonzero_exit;
  const std::string why = by_itself ? last_word(result.stderr_text)
                          : result.error ? result.error->message
                                         : std::string(name_of(result.meta.cause));
  Error error(errc_of(result.meta.cause),
              "the packages cannot be " + std::string(doing) + ": " + why);
  const bool lacks = why.starts_with("No matching") || why.starts_with("no file gives");
  if (by_itself && doing == "installed" && lacks)
    return std::move(error).with_hint(
        "what is installed from files has no index: give the file of that one, too, or its name");
  const bool is_limit = error.code() == Errc::start_failed;  // and none that the run could raise
  if (is_limit && !by_itself)
    return std::move(error).with_hint(
        "a box that installs has what the maxima of the configuration allow, at most 1 GiB and "
        "five minutes");
  return result.error && result.error->hint ? std::move(error).with_hint(*result.error->hint)
                                            : error;
}

TreeSize size_said(const ExecutionResult& result) {
  const auto said = nlohmann::json::parse(result.value.value_or(""), nullptr, false);
  const auto number = [&said](const char* key) {
    const auto found = said.is_object() ? said.find(key) : said.end();
    const bool is_there = said.is_object() && found != said.end() && found->is_number_unsigned();
    return is_there ? found->get<std::uint64_t>() : 0;
  };
  return {number("files"), number("bytes")};
}

Result<std::string> digest_of_file(const fs::path& path, const PackageWish& wish) {
  return digest(path, wish, nullptr);
}

Result<std::string> copy_file(const fs::path& path, const fs::path& copy, const PackageWish& wish) {
  LAZARET_TRY(const os::PlainFile into, os::PlainFile::create(copy, false));
  return digest(path, wish, &into);
}

}  // namespace lazaret::core
