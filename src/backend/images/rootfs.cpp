#include "backend/images/rootfs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "engine/failure.hpp"
#include "os/command.hpp"

namespace lazaret::backend::images {
namespace {

constexpr std::size_t kPieceBytes = 64UL << 10;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

// Ours may hold secrets, which are no business of the packages' scripts.
std::vector<std::string> needed_of(const std::vector<std::string>& environment) {
  constexpr std::array<std::string_view, 8> kNames = {
      "PATH=",       "TMPDIR=",      "http_proxy=", "https_proxy=",
      "HTTP_PROXY=", "HTTPS_PROXY=", "no_proxy=",   "NO_PROXY="};
  std::vector<std::string> needed = {"LC_ALL=C.UTF-8", "HOME=/nonexistent"};
  for (const std::string& variable : environment) {
    const bool wanted = std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
      return variable.compare(0, name.size(), name) == 0;
    });
    if (wanted) needed.push_back(variable);
  }
  return needed;
}

Error not_installed(Error error) {
  return std::move(error)
      .within("making the image's files")
      .with_hint(
          "install mmdebstrap (apt-get install mmdebstrap), or let the engine build from a "
          "registry: --from registry");
}

Error failed(const os::Command& command, const os::CommandEnd& end) {
  std::string_view tail = command.error_tail();
  while (!tail.empty() && tail.back() == '\n') tail.remove_suffix(1);
  const std::size_t line = tail.rfind('\n');
  if (line != tail.npos) tail.remove_prefix(line + 1);
  const std::string how = !end.known
                              ? "a status that nobody knows, since SIGCHLD is ignored here"
                              : (end.by_signal ? "signal " : "status ") + std::to_string(end.code);
  return Error(Errc::engine, "making the image's files: mmdebstrap ended with " + how + ": " +
                                 engine::one_line(tail))
      .with_hint(
          "mmdebstrap needs root (or newuidmap with entries in /etc/subuid) and a way to a "
          "Debian mirror; otherwise let the engine build: --from registry");
}

// A running mmdebstrap and what it has written but nobody has taken yet.
class Making {
 public:
  Making(os::Command command, Call call) : command_(std::move(command)), call_(std::move(call)) {}

  Status wait_for_first() {
    first_.resize(kPieceBytes);
    LAZARET_TRY(const std::size_t count, next(first_));
    first_.resize(count);
    return {};
  }

  Result<std::size_t> read(std::span<std::byte> into) {
    if (first_.empty()) return next(into);
    const std::size_t count = std::min(into.size(), first_.size());
    std::copy_n(first_.begin(), count, into.begin());
    first_.erase(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

 private:
  // An end that did not come from success would make an image of half the files.
  Result<std::size_t> next(std::span<std::byte> into) {
    LAZARET_TRY(const std::size_t count, command_.read(into, call_));
    if (count > 0) return count;
    LAZARET_TRY(const os::CommandEnd end, command_.finish(call_));
    if (!end.good()) return failed(command_, end);
    return std::size_t{0};
  }

  os::Command command_;
  Call call_;
  std::vector<std::byte> first_;
};

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Status usable_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto status = std::filesystem::status(folder, error);
  if (error || !std::filesystem::is_directory(status)) {
    return Error(Errc::system, "the cache directory cannot be made").with_os_error(error.value());
  }
  using std::filesystem::perms;
  if ((status.permissions() & (perms::group_write | perms::others_write)) == perms::none) return {};
  return Error(Errc::permission_denied, "other users may write to the cache directory")
      .with_hint("images are made of what lies there: chmod go-w it, or choose another one");
}

Status copy_all(const http::BodySource& source, std::FILE* file) {
  std::vector<std::byte> piece(kPieceBytes);
  for (;;) {
    LAZARET_TRY(const std::size_t count, source(piece));
    if (count == 0) break;
    if (std::fwrite(piece.data(), 1, count, file) != count) {
      return Error(Errc::system, "writing the image's files to the cache directory failed");
    }
  }
  if (std::fflush(file) == 0) return {};
  return Error(Errc::system, "writing the image's files to the cache directory failed");
}

}  // namespace

std::vector<std::string> mmdebstrap_argv(const std::vector<std::string>& packages,
                                         const std::string& program) {
  // usr-is-merged and its hook spare what usrmerge would bring: the whole of Perl, 60 MB.
  std::vector<std::string> argv = {
      "mmdebstrap", "--variant=minbase", "--format=tar",
      "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
      "--include=usr-is-merged," + joined(packages), "--dpkgopt=path-exclude=/usr/share/man/*",
      "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/info/*",
      "--dpkgopt=path-exclude=/usr/share/locale/*", "--dpkgopt=force-unsafe-io",
      // The scripts of Java's packages fail where no page of a manual could lie.
      "--essential-hook=mkdir -p \"$1/usr/share/man/man1\"",
      // As in the Dockerfiles: no set-id bit stays. Host and resolver are this machine's own.
      "--customize-hook=chroot \"$1\" find / -xdev -type f -perm /6000 -exec chmod ug-s {} +",
      "--customize-hook=rm -f \"$1/etc/hostname\" \"$1/etc/resolv.conf\" "
      "\"$1/etc/dpkg/dpkg.cfg.d/99mmdebstrap\""};
  if (!program.empty()) {
    const std::string inside = "/usr/local/bin" + program.substr(program.find_last_of('/'));
    argv.push_back("--customize-hook=upload " + program + " " + inside);
    argv.push_back("--customize-hook=chmod 0755 \"$1" + inside + "\"");
  }
  argv.insert(argv.end(), {"bookworm", "-"});
  return argv;
}

Result<http::BodySource> make_rootfs(const RootfsRequest& request, const Call& call) {
  auto command = os::Command::start({.argv = mmdebstrap_argv(request.packages, request.program),
                                     .environment = needed_of(request.environment),
                                     .error_line = request.progress});
  if (!command.ok()) return not_installed(std::move(command).error());
  // Shared by the copies of the source, as std::function copies what it holds.
  const auto making = std::make_shared<Making>(std::move(command).value(), call);
  LAZARET_CHECK(making->wait_for_first());
  return http::BodySource([making](std::span<std::byte> into) { return making->read(into); });
}

std::filesystem::path cached_path(const std::filesystem::path& folder, std::string_view name,
                                  std::string_view packages_sha256,
                                  std::chrono::system_clock::time_point now) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(now));
  std::array<char, 16> date{};
  (void)std::snprintf(date.data(), date.size(), "%04d%02u%02u",
                      static_cast<int>(day.year()) % 10000, static_cast<unsigned>(day.month()),
                      static_cast<unsigned>(day.day()));
  return folder / (std::string(name) + "-" + std::string(packages_sha256.substr(0, 16)) + "-" +
                   date.data() + ".tar");
}

Status save(const http::BodySource& source, const std::filesystem::path& path) {
  LAZARET_CHECK(usable_folder(path.parent_path()));
  std::filesystem::path part = path;
  part += ".part";
  std::error_code error;
  File file(std::fopen(part.string().c_str(), "wb"));
  if (!file) return Error(Errc::permission_denied, "the cache directory cannot be written to");
  Status status = copy_all(source, file.get());
  file.reset();
  if (status.ok()) std::filesystem::rename(part, path, error);
  if (status.ok() && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  if (!status.ok()) return status;
  return Error(Errc::system, "naming the image's files failed").with_os_error(error.value());
}

Result<http::BodySource> open_saved(const std::filesystem::path& path) {
  LAZARET_CHECK(usable_folder(path.parent_path()));
  // Shared by the copies of the source, as std::function copies what it holds.
  const std::shared_ptr<std::FILE> file = File(std::fopen(path.string().c_str(), "rb"));
  if (!file) return Error(Errc::not_found, "there is no tar of this image for today");
  return http::BodySource([file](std::span<std::byte> into) -> Result<std::size_t> {
    const std::size_t count = std::fread(into.data(), 1, into.size(), file.get());
    if (count > 0 || std::ferror(file.get()) == 0) return count;
    return Error(Errc::system, "reading the image's files from the cache directory failed");
  });
}

}  // namespace lazaret::backend::images
