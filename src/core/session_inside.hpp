#pragma once

#include <stop_token>
#include <string>

#include "core/session.hpp"

// What the parts of a session's own code share.
namespace lazaret::core {

[[nodiscard]] Error not_ready(SessionState state);
/// Errors: invalid_argument, where it does not lead to something below /work.
[[nodiscard]] Status check_path(const std::string& path);

// Ends with its caller's stop, and with the session.
class Session::Stop {
 public:
  Stop(const Session& session, const std::stop_token& caller)
      : by_caller_(caller, Request{source_}),
        by_closing_(session.closing_.get_token(), Request{source_}) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> by_caller_;
  std::stop_callback<Request> by_closing_;
};

}  // namespace lazaret::core
