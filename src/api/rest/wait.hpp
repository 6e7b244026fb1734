#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "api/rest/runs.hpp"
#include "api/rest/visitor.hpp"

namespace lazaret::rest {

/// A visitor who is answered once a run has come as far as he waits for, or when his time is over.
class Wait : public std::enable_shared_from_this<Wait> {
 public:
  struct Terms {
    std::chrono::seconds most;    ///< 0: he is answered at once
    std::function<bool()> ready;  ///< asked at each change of the run
    std::function<void()> answer;
  };

  static void begin(boost::asio::io_context& loop, std::shared_ptr<Run> run,
                    const VisitorPointer& visitor, Terms terms);
  Wait(boost::asio::io_context& loop, std::shared_ptr<Run> run, Terms terms);

 private:
  enum class Ending { answered, gone };
  void watch(const VisitorPointer& visitor);
  void end(Ending ending);

  std::shared_ptr<Run> run_;  // shared with the daemon, which may forget it meanwhile
  Terms terms_;
  boost::asio::steady_timer timer_;
  Watchers::Id watcher_ = 0;
  bool over_ = false;
};

}  // namespace lazaret::rest
