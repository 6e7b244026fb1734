#include "core/counters.hpp"

#include <algorithm>

namespace lazaret::core {

backend::Autopsy since(backend::Autopsy seen, const backend::Autopsy& before, Before what) {
  Usage& usage = seen.usage;
  usage.memory_kills -= std::min(usage.memory_kills, before.usage.memory_kills);
  usage.pids_refusals -= std::min(usage.pids_refusals, before.usage.pids_refusals);
  const bool is_counted = usage.source != "runner";  // who counts each step by itself
  if (is_counted && usage.cpu_ms && before.usage.cpu_ms)
    *usage.cpu_ms -= std::min(*usage.cpu_ms, *before.usage.cpu_ms);
  if (what == Before::step) return seen;
  if (usage.peak_memory_bytes <= before.usage.peak_memory_bytes) usage.peak_memory_bytes.reset();
  if (usage.peak_pids <= before.usage.peak_pids) usage.peak_pids.reset();
  return seen;
}

std::optional<std::string> disk_full_by(const runner::Exited& exited) {
  using Full = runner::Exited::Full;
  switch (exited.full) {
    case Full::bytes: return "bytes";
    case Full::files: return "files";
    case Full::file: return "file";
    case Full::nothing: break;
  }
  return std::nullopt;
}

void put_own_word(backend::Autopsy& seen, const runner::Exited& exited) {
  seen.usage.cpu_ms = exited.cpu_us / 1000;
  seen.usage.source = "runner";
  if (exited.peak_rss_kib > 0) seen.usage.peak_memory_bytes = exited.peak_rss_kib * 1024;
}

}  // namespace lazaret::core
