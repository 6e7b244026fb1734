#include "api/rest/sessions.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "api/rest/names.hpp"

namespace lazaret::rest {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kClosers = 8;
constexpr std::chrono::seconds kLook{1};

void close(const std::vector<std::shared_ptr<KeptSession>>& sessions) {
  std::atomic<std::size_t> next{0};
  const auto close_some = [&sessions, &next] {
    for (std::size_t at = next++; at < sessions.size(); at = next++) sessions[at]->session->close();
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(kClosers, sessions.size())) others.emplace_back(close_some);
  } catch (const std::system_error&) {  // there are no more threads
  }
  close_some();
}

bool is_ready(const KeptSession& kept) { return kept.session->state() == SessionState::ready; }

}  // namespace

Sessions::Sessions(boost::asio::io_context& loop, Workers& workers, Workers& enders,
                   const Bounds& bounds)
    : loop_(loop), workers_(workers), enders_(enders), bounds_(bounds), timer_(loop) {}

Sessions::~Sessions() {
  const auto sessions = all();
  close(sessions);
  // With what nobody has come to, which may hold the session.
  for (const auto& kept : sessions) kept->lane = nullptr;
}

std::shared_ptr<void> Sessions::reserve() {
  if (sessions_.size() + *reserved_ >= bounds_.sessions) drop_one_ended();
  if (sessions_.size() + *reserved_ >= bounds_.sessions) return nullptr;
  ++*reserved_;
  return {reserved_.get(), [count = reserved_](const std::size_t*) { --*count; }};
}

std::shared_ptr<KeptSession> Sessions::add(std::shared_ptr<core::Session> session) {
  auto lane = std::make_shared<Lane>(workers_, bounds_.queue);
  auto kept =
      std::make_shared<KeptSession>(KeptSession{new_id(), std::move(session), std::move(lane)});
  sessions_.emplace(kept->id, kept);
  watch();
  return kept;
}

std::shared_ptr<KeptSession> Sessions::find(const std::string& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<KeptSession>> Sessions::all() const {
  std::vector<std::shared_ptr<KeptSession>> list;
  for (const auto& [id, kept] : sessions_) list.push_back(kept);
  std::ranges::sort(list, {}, [](const auto& kept) { return kept->made; });
  return list;
}

std::size_t Sessions::ready() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& each) { return is_ready(*each.second); }));
}

void Sessions::look() {
  for (const auto& kept : all()) look_at(kept);
  watch();
}

// One that is in use ends with its user; an ended one has no box any more, and is quickly gone.
void Sessions::look_at(const std::shared_ptr<KeptSession>& kept) {
  const auto now = Clock::now();
  if (is_ready(*kept)) {
    if (kept->ending || kept->lane->busy() || kept->session->expires_at() > now) return;
    kept->ending = enders_.submit([this, kept] {
      kept->session->expire();
      boost::asio::post(loop_, [kept] { kept->ending = false; });
    });
  } else if (!kept->ended) {
    kept->ended = now;
  } else if (now >= *kept->ended + bounds_.kept) {
    forget(kept->id);
  }
}

void Sessions::watch() {
  if (stopped_ || sessions_.empty() || std::exchange(watching_, true)) return;
  timer_.expires_after(kLook);
  timer_.async_wait([this](const boost::system::error_code& error) {
    watching_ = false;
    if (!error) look();
  });
}

void Sessions::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Sessions::drop_one_ended() {
  std::shared_ptr<KeptSession> first;
  for (const auto& kept : all()) {
    const auto ended = [](const auto& each) { return each->ended.value_or(Clock::now()); };
    if (!is_ready(*kept) && (!first || ended(kept) < ended(first))) first = kept;
  }
  if (first) forget(first->id);
}

}  // namespace lazaret::rest
