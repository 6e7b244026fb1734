#include "api/cli/evidence_table.hpp"

namespace lazaret::cli {
namespace {

constexpr std::size_t kNameWidth = 12;

std::string_view mark(EvidenceStatus status) {
  switch (status) {
    case EvidenceStatus::enforced: return "[✓]";
    case EvidenceStatus::partial: return "[!]";
    case EvidenceStatus::not_enforced: return "[✗]";
  }
  return "";
}

}  // namespace

std::string evidence_table(const std::vector<Evidence>& evidence) {
  std::string table;
  for (const Evidence& piece : evidence) {
    const std::string_view name = name_of(piece.control);
    table.append("  ").append(mark(piece.status)).append(" ").append(name);
    table.append(kNameWidth - std::min(kNameWidth, name.size()) + 1, ' ');
    table.append(piece.applied).append("  (").append(piece.verified_by).append(")\n");
  }
  return table;
}

}  // namespace lazaret::cli
