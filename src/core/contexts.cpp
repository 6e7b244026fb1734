#include "core/contexts.hpp"

#include <utility>

namespace lazaret::core {
namespace {

constexpr std::size_t kMostContexts = 16;

}  // namespace

Status Contexts::enter(policy::Spec& spec) {
  spec.beside_contexts = !all_.empty();
  if (!spec.program.cell) return {};
  policy::Program::Cell& cell = *spec.program.cell;
  const auto found = all_.find(cell.context);
  if (found == all_.end()) {
    if (all_.size() < kMostContexts) return {};
    return Error(Errc::conflict, "the session has as many contexts as it may: 16")
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
  if (known.environment != spec.environment || known.fixed != spec.fixed)
    return Error(Errc::conflict, "the context " + cell.context + " was begun otherwise")
        .with_hint("its environment, and whether it is deterministic, are those of its first run");
  cell.number = known.cells + 1;
  return {};
}

void Contexts::note(const policy::Spec& spec, OneRun& run) {
  if (run.ended_contexts) {
    for (auto& [name, known] : all_) known.lost = true;
  }
  if (!spec.program.cell) return;
  const policy::Program::Cell& cell = *spec.program.cell;
  if (run.keeps_context)
    all_[cell.context] = {cell.number, false, spec.language, spec.environment, spec.fixed};
  else
    all_.erase(cell.context);
  run.result.meta.context = ContextNote{cell.context, cell.number, !run.keeps_context};
}

std::vector<ContextState> Contexts::list() const {
  std::vector<ContextState> list;
  for (const auto& [name, known] : all_)
    list.push_back({name, known.language, known.cells, known.lost});
  return list;
}

}  // namespace lazaret::core
