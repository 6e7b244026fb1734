#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "os/folder.hpp"
#include "runner/message.hpp"

namespace lazaret::runner {

/// Puts what the host sends below /work; what is there gives way only where an entry says so. After
/// the first that fails nothing is put until the host has been told.
class Importer {
 public:
  /// Errors: protocol, while a file's content is still due.
  [[nodiscard]] Status take(const Entry& entry);
  /// Errors: protocol, where it is more than is due.
  [[nodiscard]] Status take_data(Bytes content);
  /// What became of it all; begins anew. Errors: protocol, as above.
  [[nodiscard]] Result<Placed> end();

 private:
  [[nodiscard]] Status put(const Entry& entry);

  os::Handle file_;
  std::uint64_t due_ = 0;  // of the file's content
  std::string path_;       // of what is being put
  Placed outcome_;
};

}  // namespace lazaret::runner
