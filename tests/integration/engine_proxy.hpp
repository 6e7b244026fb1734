#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/guarded.hpp"
#include "base/wire.hpp"
#include "integration/support.hpp"
#include "os/handle.hpp"

/// A Unix socket between us and a real engine, at which one thing goes wrong.
namespace lazaret::test {

/// How much of what a client sends reaches the engine.
enum class Heard { all, request, nothing };
/// What becomes of the connection once a fault has said what it says.
enum class Then { hang_up, silence, go_on };
/// What becomes of the socket's door when a fault is met: `refuse` leaves its name behind.
enum class Door { open, refuse, vanish };

/// A look at one of our containers, as opposed to the list of all.
inline constexpr const char* kLook = "GET /containers/lazaret-";

/// What goes wrong, and at which requests. The engine's answer goes through up to the end of
/// `after` and `bytes` more; then comes `say`, and then the connection is as `then` says.
struct Fault {
  std::string at = {};  ///< "POST /start": the method, and a part of the target
  int from = 1;         ///< the first of these requests that meets it
  int times = 1;
  Heard heard = Heard::all;
  std::string after = {};
  std::size_t bytes = 0;
  std::string say = {};
  std::string tail = {};  ///< said behind it, `tails` times: all programs make all faults
  int tails = 0;
  Then then = Then::hang_up;
  bool one_by_one = false;  ///< one byte in each write
  Door door = Door::open;
  std::chrono::milliseconds late{0};  ///< for which the request is held back
  /// Instead of all that: the whole answer, changed.
  std::function<std::string(std::string answer)> change = {};
};

/// Forwards connections to an engine, one request on each, until it is destroyed.
class EngineProxy {
 public:
  /// `endpoint` is the engine's: "unix:///run/docker.sock".
  explicit EngineProxy(const std::string& endpoint);
  EngineProxy(const EngineProxy&) = delete;
  EngineProxy& operator=(const EngineProxy&) = delete;
  ~EngineProxy();

  [[nodiscard]] std::string endpoint() const { return "unix://" + path_; }
  /// From now on.
  void meet(Fault fault);
  /// Nothing goes wrong any more; those who are connected are left as they are.
  void heal();
  /// Those who are connected by such a request: "POST /attach". Their number.
  int strike(const std::string& at, Then then);
  /// How many requests have met the fault.
  [[nodiscard]] int met();
  /// Whether these bytes have gone to the engine, behind a request.
  [[nodiscard]] bool has_passed(std::string_view text);
  /// The first lines of all requests.
  [[nodiscard]] std::vector<std::string> requests();
  /// Of those that have reached the engine, with the first lines of its answers.
  [[nodiscard]] std::vector<std::string> dialogue();

 private:
  /// What a connection that is struck hears of.
  struct Stroke {
    std::string line;
    std::atomic<bool> is_silent = false;
    std::stop_source over = {};
  };
  struct State {
    Fault fault;
    int seen = 0;  ///< requests that are like the fault's
    int met = 0;
    std::vector<std::string> requests;
    std::vector<std::string> dialogue;
    std::string passed;
    std::list<std::weak_ptr<Stroke>> live;  // shared with the connection's own thread
  };
  struct Connection;
  class Answer;

  void open_door();
  void close_door(Door door);
  void serve(const std::stop_token& stop);
  void carry(os::Handle client, const std::stop_token& stop);
  void forward(Connection& connection, const Fault& fault);
  void pump_up(Connection& connection, Heard heard, const Call& call);
  void note_passed(std::string_view piece);
  /// The fault that this request meets; one without a method when it meets none.
  [[nodiscard]] Fault fault_of(const std::string& line);

  Folder folder_;
  std::string engine_;
  std::string path_;
  Guarded<State> state_;
  Guarded<os::Handle> door_;
  std::list<std::jthread> connections_;
  std::jthread server_;
};

/// "HTTP/1.1 500 Said", these headers, the length and the body.
[[nodiscard]] std::string http_answer(int status, const std::string& body,
                                      const std::string& headers = {});

}  // namespace lazaret::test
