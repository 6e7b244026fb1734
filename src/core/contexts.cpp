#include "core/contexts.hpp"

#include <functional>
#include <string>
#include <utility>

namespace lazaret::core {
namespace {

constexpr std::size_t kMostContexts = 16, kMostLost = 64;

std::size_t conditions_of(const policy::Spec& spec) {
  std::string text;
  for (const auto& [name, value] : spec.environment) text += name + '=' + value + '\0';
  for (const std::string& fixed : spec.fixed) text += fixed + '\0';
  return std::hash<std::string>()(text);
}

}  // namespace

Status Contexts::enter(policy::Spec& spec) {
  spec.beside_contexts = !all_.empty();
  if (!spec.program.cell) return {};
  policy::Program::Cell& cell = *spec.program.cell;
  const auto found = all_.find(cell.context);
  if (found == all_.end()) {
    const std::size_t lost = count_lost();
    if (all_.size() - lost < kMostContexts && lost < kMostLost) return {};
    return Error(Errc::conflict, "the session has as many contexts as it may, or has lost")
        .with_hint("end one");
  }
  Known& known = found->second;
  if (known.lost) {
    all_.erase(found);
    return Error(Errc::backend_unavailable, "the context " + cell.context + " was lost")
        .with_hint("the next run begins a new one");
  }
  if (known.language != spec.language)
    return Error(Errc::conflict, "the context " + cell.context + " is of " + known.language);
  if (known.conditions != conditions_of(spec))
    return Error(Errc::conflict, "the context " + cell.context + " was begun otherwise")
        .with_hint("its environment, and whether it is deterministic, are those of its first run");
  cell.number = known.cells + 1;
  return {};
}

void Contexts::note(const policy::Spec& spec, OneRun& run) {
  if (run.ended_contexts) {
    for (auto& [name, known] : all_) known.lost = true;
  }
  if (!spec.program.cell || !run.was_handed_over) return;
  const policy::Program::Cell& cell = *spec.program.cell;
  if (run.keeps_context)
    all_[cell.context] = {cell.number, false, spec.language, conditions_of(spec)};
  else
    all_.erase(cell.context);
  run.result.meta.context = ContextNote{cell.context, cell.number, !run.keeps_context};
}

std::size_t Contexts::count_lost() const {
  const auto count = std::ranges::count_if(all_, [](const auto& each) { return each.second.lost; });
  return static_cast<std::size_t>(count);
}

bool Contexts::has_living() const { return count_lost() < all_.size(); }

std::vector<ContextState> Contexts::list() const {
  std::vector<ContextState> list;
  for (const auto& [name, known] : all_)
    list.push_back({name, known.language, known.cells, known.lost});
  return list;
}

}  // namespace lazaret::core
