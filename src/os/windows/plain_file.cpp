#include "os/plain_file.hpp"

#include "os/error.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

constexpr DWORD kEveryShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

}  // namespace

Result<PlainFile> PlainFile::open(const std::filesystem::path& path, LastLink link) {
  const DWORD links = link == LastLink::refuse ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  Handle file(::CreateFileW(path.c_str(), GENERIC_READ, kEveryShare, nullptr, OPEN_EXISTING,
                            FILE_ATTRIBUTE_NORMAL | links, nullptr));
  if (!file.valid()) return last_error(path.string());
  BY_HANDLE_FILE_INFORMATION seen{};
  if (::GetFileInformationByHandle(file.get(), &seen) == 0) return last_error(path.string());
  constexpr DWORD kOther = FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY;
  const bool is_disk = ::GetFileType(file.get()) == FILE_TYPE_DISK;
  if (!is_disk || (seen.dwFileAttributes & kOther) != 0)
    return Error(Errc::invalid_argument, path.string() + " is no file");
  return PlainFile(std::move(file), std::uint64_t{seen.nFileSizeHigh} << 32 | seen.nFileSizeLow,
                   false);
}

Result<PlainFile> PlainFile::create(const std::filesystem::path& path, bool executable) {
  Handle file(::CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file.valid()) return last_error(path.string());
  return PlainFile(std::move(file), 0, executable);
}

Result<std::size_t> PlainFile::read(std::span<std::byte> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    DWORD count = 0;
    const auto wanted = static_cast<DWORD>(into.size() - filled);
    if (::ReadFile(handle_.get(), into.data() + filled, wanted, &count, nullptr) == 0)
      return last_error("reading a file");
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

Status PlainFile::write(Bytes bytes) const {
  while (!bytes.empty()) {
    DWORD count = 0;
    const auto size = static_cast<DWORD>(bytes.size());
    if (::WriteFile(handle_.get(), bytes.data(), size, &count, nullptr) == 0)
      return last_error("writing a file");
    bytes = bytes.subspan(count);
  }
  return {};
}

}  // namespace lazaret::os
