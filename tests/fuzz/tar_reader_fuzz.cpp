#include <cstdint>
#include <cstdlib>

#include "base/tar_reader.hpp"

using namespace lazaret;

// Any bytes are an archive, read in pieces, or none: no entry leads out, only files have content,
// and what is read can be written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] * 8U + 1U;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  TarReader reader([&]() -> Result<std::string> {
    std::string some(rest.substr(0, piece));
    rest.remove_prefix(some.size());
    return some;
  });
  for (;;) {
    const auto head = reader.next();
    if (!head.ok() || !*head) return 0;
    const TarHead& entry = **head;
    const bool is_directory = entry.kind == TarKind::directory;
    if (entry.path == "." ? !is_directory : clean_tar_path(entry.path).value() != entry.path)
      std::abort();
    if (entry.kind != TarKind::file && entry.size != 0) std::abort();
    if (entry.path != "." && !tar_head(entry).ok()) std::abort();
    std::uint64_t taken = 0;
    if ((data[0] & 1) != 0) continue;
    for (;;) {
      const auto some = reader.content();
      if (!some.ok()) return 0;
      if (some->empty()) break;
      taken += some->size();
    }
    if (taken != entry.size) std::abort();
  }
}
