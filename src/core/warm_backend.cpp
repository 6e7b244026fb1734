#include "core/warm_backend.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "backend/verdict.hpp"
#include "base/sha256.hpp"
#include "base/try.hpp"
#include "base/wire.hpp"
#include "core/bounds.hpp"
#include "core/job.hpp"
#include "os/random.hpp"
#include "runner/client.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kMostComplaints = 16;
constexpr std::size_t kUsualKind = 1024;  // bytes
// What all looks at waiting boxes may cost one caller.
constexpr std::chrono::seconds kLookBound{2};
// Below it a program may need what modules take that it does not use.
constexpr std::uint64_t kLeastMemory = 128ULL << 20;

class ReadyBox final : public pool::Item {
 public:
  ReadyBox(std::unique_ptr<backend::Box> box, Stock& stock, std::uint64_t interpreter_bytes = 0)
      : box_(std::move(box)), stock_(stock), interpreter_bytes_(interpreter_bytes) {}
  ~ReadyBox() override {
    if (!box_) return;
    const Status gone = box_->dispose(Call{}.within(kEndBound));
    if (!gone.ok()) stock_.complain("a box could not be removed: " + gone.error().message());
  }

  // A runner that waits for its job says nothing; the end of its stream is the end of the box.
  bool has_ended() override {
    std::array<std::byte, 1> byte;
    const auto heard = box_->wire().read(byte, Call{}.within(std::chrono::milliseconds(0)));
    return heard.ok() || heard.error().code() != Errc::timed_out;
  }
  pool::Fitness fitness(const Call& call) override {
    if (has_ended()) return pool::Fitness::unfit;
    switch (box_->currency(call)) {
      case backend::Currency::current: return pool::Fitness::fit;
      case backend::Currency::outdated: return pool::Fitness::unfit;
      case backend::Currency::unknown: break;
    }
    return pool::Fitness::unknown;
  }
  // Many at once may be leaving while one after the other is cleared away.
  void doom() noexcept override {
    if (box_) box_->doom();
  }
  [[nodiscard]] MadeAhead made() const noexcept { return {own_cpu_ms_, interpreter_bytes_ > 0}; }
  void count_own() {
    if (const auto seen = box_->counters()) own_cpu_ms_ = seen->usage.cpu_ms.value_or(0);
  }
  std::uint64_t memory_bytes() const noexcept override {
    return (box_ ? box_->resting_bytes() : 0) + interpreter_bytes_;
  }
  [[nodiscard]] std::unique_ptr<backend::Box> hand_over() { return std::move(box_); }

 private:
  std::unique_ptr<backend::Box> box_;
  Stock& stock_;
  std::uint64_t interpreter_bytes_;
  std::uint64_t own_cpu_ms_ = 0;
};

// The time of a run is no part of its box, which may have waited for another; what is said to have
// been asked for is what this run has asked for. Nothing where that is the same.
std::optional<std::vector<Evidence>> evidence_for(const policy::Spec& spec,
                                                  const std::vector<Evidence>& seen) {
  const auto row = std::ranges::find(seen, Control::timeout, &Evidence::control);
  std::string asked = backend::requested(Control::timeout, spec);
  if (row == seen.end() || row->requested == asked) return std::nullopt;
  std::vector<Evidence> own = seen;
  own[static_cast<std::size_t>(row - seen.begin())].requested = std::move(asked);
  return own;
}

// A box whose end the stock sees to.
class LentBox final : public backend::Box {
 public:
  LentBox(std::unique_ptr<backend::Box> box, std::shared_ptr<Stock> stock,
          std::optional<MadeAhead> ahead, const policy::Spec& spec)
      : box_(std::move(box)),
        stock_(std::move(stock)),
        evidence_(evidence_for(spec, box_->evidence())),
        ahead_(ahead),
        is_kept_(spec.keeps_box),
        warnings_(is_kept_ ? std::vector<std::string>() : stock_->complaints()) {
    warnings_.insert(warnings_.end(), box_->warnings().begin(), box_->warnings().end());
  }
  ~LentBox() override { stock_->pool.retire(std::make_unique<ReadyBox>(std::move(box_), *stock_)); }

  Wire& wire() override { return box_->wire(); }
  const std::vector<Evidence>& evidence() const override {
    return evidence_ ? *evidence_ : box_->evidence();
  }
  std::span<const std::string> image_variables() const override { return box_->image_variables(); }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Status kill(const Call& call) override { return box_->kill(call); }
  os::Handle take_way_out() override { return box_->take_way_out(); }
  std::optional<std::uint32_t> others() override { return box_->others(); }
  // Who keeps one asks for its end himself, and is told whether it has come.
  Status dispose(const Call& call) override { return is_kept_ ? box_->dispose(call) : Status(); }
  backend::Autopsy autopsy(const Call& call) override { return of_user(box_->autopsy(call)); }
  std::optional<backend::Autopsy> counters() override {
    auto seen = box_->counters();
    if (seen) seen = of_user(*seen);
    return seen;
  }
  bool is_made_ahead() const override { return ahead_.has_value(); }
  bool has_interpreter() const override { return ahead_ && ahead_->has_interpreter; }
  bool ends_later() const override { return true; }

 private:
  backend::Autopsy of_user(backend::Autopsy seen) const {
    auto& used = seen.usage.cpu_ms;
    if (used && ahead_) *used -= std::min(*used, ahead_->own_cpu_ms);
    return seen;
  }

  std::unique_ptr<backend::Box> box_;
  std::shared_ptr<Stock> stock_;
  std::optional<std::vector<Evidence>> evidence_;  // where it is not the box's own
  std::optional<MadeAhead> ahead_;
  bool is_kept_;
  std::vector<std::string> warnings_;
};

void add(std::string& kind, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  kind.append(digits.begin(), end).append(":");
}

void add(std::string& kind, std::string_view text) {
  add(kind, text.size());
  kind.append(text);
}

void add(std::string& kind, const Limits& limits) {
  add(kind, limits.cpu_time ? std::to_string(limits.cpu_time->count()) : "");
  add(kind, std::to_string(limits.cpus));
  for (const std::uint64_t number :
       {limits.memory_bytes, std::uint64_t{limits.pids}, std::uint64_t{limits.open_files},
        limits.file_bytes, limits.disk_bytes, limits.disk_files, limits.disk_rate_bytes})
    add(kind, number);
}

// Which directories these are, the box itself knows: see backend::Box::currency().
void add_what_is_shown(std::string& kind, const policy::Spec& spec) {
  add(kind, spec.egress.hosts.size());
  for (const policy::HostRule& rule : spec.egress.hosts) add(kind, text_of(rule));
  add(kind, spec.packages);
  add(kind, spec.mounts.size());
  for (const Mount& mount : spec.mounts) {
    add(kind, mount.source), add(kind, mount.target);
    add(kind, std::uint64_t{mount.access == MountAccess::read_write});
  }
  add(kind, std::uint64_t{spec.terminal.has_value()});
  add(kind, std::uint64_t{spec.keeps_box});
}

// This process's own: kinds are shown, and from a digest alone a short secret in the environment
// could be guessed.
const std::string& salt() {
  static const std::string drawn = os::random_hex(64);
  return drawn;
}

// By name: that of the program's own variables, its search path among them.
bool names_what_is_shown(const policy::Spec& spec) {
  return std::ranges::any_of(spec.environment, [](const auto& variable) {
    return variable.second.find("mnt") != std::string::npos;
  });
}

// WHY not everywhere: what is shown may be code that runs as soon as an interpreter starts, such as
// one in a search path, or the .pth files of packages. A session's programs start theirs.
bool may_wait(const policy::Spec& spec) {
  const bool may_meet_code =
      !spec.packages.empty() || (!spec.mounts.empty() && names_what_is_shown(spec));
  return spec.program.ahead && spec.limits.memory_bytes >= kLeastMemory && !spec.keeps_box &&
         !may_meet_code;
}

// Where the interpreter cannot be started there is still the box: whoever gets it is told why not.
Result<std::unique_ptr<pool::Item>> make_ready(backend::Backend& inside, const policy::Spec& spec,
                                               Stock& stock, const Call& call) {
  LAZARET_TRY(auto box, inside.open(spec, call));
  std::uint64_t interpreter_bytes = 0;
  if (may_wait(spec)) {
    const auto waits = runner::Client(box->wire()).prepare(
        interpreter_of(spec, box->image_variables()), call);
    if (!waits.ok() && waits.error().code() != Errc::start_failed) return waits.error();
    interpreter_bytes = waits.ok() ? std::uint64_t{*waits} * 1024 : 0;
  }
  auto ready = std::make_unique<ReadyBox>(std::move(box), stock, interpreter_bytes);
  ready->count_own();
  return std::unique_ptr<pool::Item>(std::move(ready));
}

}  // namespace

void Stock::complain(std::string what) {
  if (listener) return listener(what);
  complaints_.with([&what](auto& all) {
    if (all.size() < kMostComplaints) all.push_back(std::move(what));
  });
}

std::vector<std::string> Stock::complaints() {
  return complaints_.with([](auto& all) { return std::exchange(all, {}); });
}

std::string kind_of_box(const policy::Spec& spec) {
  std::string kind = spec.language + ":";
  kind.reserve(kUsualKind);
  add(kind, spec.image);
  add(kind, spec.program.argv.front());
  add(kind, spec.program.working_directory);
  add(kind, std::uint64_t{spec.program.ahead.has_value()});
  add(kind, spec.fixed.size());
  add(kind, spec.limits);
  add(kind, name_of(spec.profile)), add(kind, name_of(spec.subprocess));
  add(kind, name_of(spec.loopback));
  add(kind, spec.required.size());
  for (const Control control : spec.required) add(kind, name_of(control));
  add(kind, spec.environment.size());
  for (const auto& [name, value] : spec.environment) add(kind, name), add(kind, value);
  add_what_is_shown(kind, spec);
  return kind;
}

std::string shown(const std::string& kind) {
  return kind.substr(0, kind.find(':') + 1) + to_hex(sha256(bytes_of(salt() + kind)));
}

WarmBackend::WarmBackend(std::shared_ptr<backend::Backend> inside, pool::Bounds bounds,
                         unsigned most_opening)
    : inside_(std::move(inside)), opening_(most_opening) {
  bounds.shown = shown;
  stock_ = std::make_shared<Stock>(bounds);
}

Result<std::unique_ptr<backend::Box>> WarmBackend::open(const policy::Spec& spec,
                                                        const Call& call) {
  if (!stock_->pool.is_ours()) return inside_->open(spec, call);
  LAZARET_TRY(Opened opened, take_or_open(spec, call));
  LAZARET_CHECK(backend::require(opened.box->evidence(), spec));
  return std::unique_ptr<backend::Box>(
      std::make_unique<LentBox>(std::move(opened.box), stock_, opened.ahead, spec));
}

Result<Turn::Held> WarmBackend::turn_to_open(const Call& call) {
  auto turn = opening_.take(call);
  if (!turn.ok()) return std::move(turn).error().within("waiting for others to have made boxes");
  return turn;
}

WarmBackend::Opened WarmBackend::take(const std::string& kind, const Call& call,
                                      pool::Demand demand) {
  const pool::Taken ready = stock_->pool.take(kind, call.within(kLookBound), demand);
  if (!ready.item) return {nullptr, std::nullopt, ready.is_unsure};
  auto& box = static_cast<ReadyBox&>(*ready.item);
  const MadeAhead made = box.made();
  return {box.hand_over(), made};
}

Result<WarmBackend::Opened> WarmBackend::take_or_open(const policy::Spec& spec, const Call& call) {
  const std::string kind = kind_of_box(spec);
  Opened ready = take(kind, call, pool::Demand::anew);
  if (ready.box) return ready;
  if (!ready.is_unsure) stock_->pool.miss(kind, [&] { return maker_of(spec); });
  LAZARET_TRY(const Turn::Held turn, turn_to_open(call));
  if (turn.has_waited() && !ready.is_unsure) {
    ready = take(kind, call, pool::Demand::again);
    if (ready.box) return ready;
  }
  LAZARET_CHECK(call.check());
  LAZARET_TRY(auto box, inside_->open(spec, call));
  return Opened{std::move(box)};
}

void WarmBackend::keep(const policy::Spec& spec, std::size_t count) {
  stock_->pool.keep(kind_of_box(spec), maker_of(spec), count);
}

pool::Make WarmBackend::maker_of(const policy::Spec& spec) {
  policy::Spec bare = spec;
  bare.program.argv.resize(1);
  bare.program.files.clear();
  if (bare.program.ahead) bare.program.ahead->word.clear();
  return [inside = inside_, stock = stock_.get(), bare = std::move(bare)](const Call& call) {
    inside->keep_watch();
    auto ready = make_ready(*inside, bare, *stock, call.within(kOpenBound));
    return ready.ok() ? std::move(ready).value() : nullptr;
  };
}

}  // namespace lazaret::core
