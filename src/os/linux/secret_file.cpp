#include "os/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"

namespace lazaret::os {
namespace {

// Asked of the open file: the path may name another one by now.
Status check_secrecy(const Handle& file, const std::string& name) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return last_error("looking at " + name);
  if (!S_ISREG(facts.st_mode)) return Error(Errc::not_found, name + " is no file");
  if (facts.st_uid != ::geteuid()) {
    return Error(Errc::permission_denied, name + " is another user's")
        .with_hint("make a file of your own");
  }
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return Error(Errc::permission_denied, name + " can be read or written by others than its owner")
      .with_hint("chmod 600 " + name);
}

}  // namespace

Result<std::string> read_secret(const std::filesystem::path& path, std::size_t most_bytes) {
  const std::string name = path.string();
  const Handle file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return last_error("opening " + name);
  LAZARET_CHECK(check_secrecy(file, name));
  std::string text(most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return last_error("reading " + name);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > most_bytes) return Error(Errc::too_large, name + " is too long");
  text.resize(size);
  return text;
}

}  // namespace lazaret::os
