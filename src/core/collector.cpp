#include "core/collector.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace lazaret::core {

Collector::Collector(std::uint64_t cap_bytes)
    : head_cap_(static_cast<std::size_t>(cap_bytes - cap_bytes / 2)),
      tail_cap_(static_cast<std::size_t>(cap_bytes / 2)) {}

std::size_t Collector::take(Bytes bytes) {
  total_ += bytes.size();
  const std::size_t in_head = std::min(bytes.size(), head_cap_ - head_.size());
  head_.append(text_of(bytes.first(in_head)));
  take_tail(bytes.subspan(in_head));
  return in_head;
}

void Collector::take_tail(Bytes bytes) {
  if (tail_cap_ == 0) return;
  if (bytes.size() > tail_cap_) bytes = bytes.last(tail_cap_);
  const std::size_t growth = std::min(bytes.size(), tail_cap_ - tail_.size());
  tail_.insert(tail_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(growth));
  tail_at_ = (tail_at_ + growth) % tail_cap_;
  for (bytes = bytes.subspan(growth); !bytes.empty();) {
    const std::size_t run = std::min(bytes.size(), tail_cap_ - tail_at_);
    std::copy_n(bytes.begin(), run, tail_.begin() + static_cast<std::ptrdiff_t>(tail_at_));
    tail_at_ = (tail_at_ + run) % tail_cap_;
    bytes = bytes.subspan(run);
  }
}

std::string Collector::tail() const {
  const std::size_t split = tail_.size() < tail_cap_ ? 0 : tail_at_;
  const Bytes all(tail_);
  return std::string(text_of(all.subspan(split))) + std::string(text_of(all.first(split)));
}

std::string Collector::text() const& { return Collector(*this).text(); }

std::string Collector::text() && {
  const std::string last = tail();
  tail_ = {};
  if (!truncated()) {
    head_ += last;
    return is_utf8(head_) ? std::move(head_) : to_utf8(head_);
  }
  const std::string_view front = std::string_view(head_).substr(0, whole_prefix(head_));
  const std::string_view back = std::string_view(last).substr(first_boundary(last));
  const std::uint64_t omitted = total_ - front.size() - back.size();
  return to_utf8(front) + "\n[... " + std::to_string(omitted) + " bytes omitted ...]\n" +
         to_utf8(back);
}

}  // namespace lazaret::core
