#include <cstdint>
#include <cstdlib>

#include "backend/verdict.hpp"
#include "base/bytes.hpp"

// Any report gives one verdict for each control; what nobody can read inside a box stays
// unverified.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lazaret;
  const std::string_view text = text_of(std::as_bytes(std::span(data, size)));
  const policy::Spec spec;
  const backend::SelfReport report = backend::parse_report(std::string(text));
  const auto evidence = backend::judge(backend::read_report(report, spec), spec);
  if (evidence.size() != all_controls().size()) std::abort();
  for (const Evidence& piece : evidence) {
    const bool outside_only = piece.control == Control::memory || piece.control == Control::timeout;
    if (outside_only && piece.status == EvidenceStatus::enforced) std::abort();
  }
  (void)backend::require(evidence, spec).ok();
  return 0;
}
