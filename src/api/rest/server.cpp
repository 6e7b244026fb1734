#include "api/rest/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include "api/rest/door.hpp"
#include "api/rest/entrance.hpp"
#include "api/rest/gate.hpp"
#include "api/rest/native.hpp"
#include "base/number.hpp"
#include "base/try.hpp"
#include "core/environment.hpp"
#include "os/listen.hpp"

namespace lazaret::rest {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr unsigned kChoreThreads = 2, kMakerThreads = 2, kFetcherThreads = 2,
                   kPostThreads = 32, kEnderThreads = 4;

// What is listened on: our own socket, and those of a service manager.
struct Listeners {
  std::optional<os::UnixListener> own;
  os::Handle network;
  std::vector<os::Handle> inherited;
};

Result<Listeners> listen(const ServerOptions& options) {
  Listeners listeners;
  LAZARET_TRY(listeners.inherited, os::inherited_listeners());
  if (options.socket && listeners.inherited.empty()) {
    LAZARET_TRY(os::UnixListener own, os::UnixListener::open(*options.socket));
    listeners.own.emplace(std::move(own));
  }
  const bool is_on_network = std::ranges::any_of(
      listeners.inherited, [](const os::Handle& each) { return os::port_of(each.get()) != 0; });
  if (!options.token && (options.place || is_on_network)) {
    return Error(Errc::invalid_argument, "listening on TCP needs a token")
        .with_hint("--token-file FILE, readable by you alone, or LAZARET_TOKEN");
  }
  if (!options.place) return listeners;
  LAZARET_TRY(listeners.network, os::listen_tcp(options.place->address, options.place->port));
  return listeners;
}

Result<std::unique_ptr<asio::ssl::context>> tls_of(const ServerOptions& options) {
  if (options.certificate.has_value() != options.key.has_value())
    return Error(Errc::invalid_argument, "a certificate and its key come together");
  if (!options.certificate) return std::unique_ptr<asio::ssl::context>();
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  LAZARET_CHECK(load(*context, *options.certificate, *options.key));
  return context;
}

class Server {
 public:
  Server(core::Service& service, const ServerOptions& options,
         std::unique_ptr<asio::ssl::context> tls)
      : options_(options),
        tls_(std::move(tls)),
        desk_{loop_,     options_.bounds, service,  runs_,      sessions_, chores_, makers_,
              fetchers_, posts_,          enders_,   messages_,  readiness_, metrics_,
              options_.fingerprints},
        local_(desk_, options_.bounds.connections),
        network_(desk_, (options_.bounds.connections + 1) / 2),
        work_(loop_.get_executor()),
        signals_(loop_, SIGTERM, SIGINT),
        runs_(
            loop_, [&service](const auto& asked) { return service.execute_checked(asked); },
            workers_, options_.bounds),
        sessions_(loop_, workers_, enders_, options_.bounds),
        readiness_(
            loop_, [&service](const auto& asked) { return service.execute(asked); }, chores_),
        workers_(options_.bounds.runs, options_.bounds.queue),
        chores_(kChoreThreads, options_.bounds.chores),
        makers_(kMakerThreads, options_.bounds.sessions),
        fetchers_(kFetcherThreads, options_.bounds.sessions),
        posts_(kPostThreads, 0),
        enders_(kEnderThreads, 2 * options_.bounds.sessions),
        messages_(1, options_.bounds.signals),
        drain_(loop_) {
    network_.speaks_tls = tls_ != nullptr;
    runs_.on_end = [this](Cause cause, std::chrono::duration<double> duration) {
      metrics_.count_run(name_of(cause), duration.count());
    };
    runs_.on_empty = [this] {
      if (desk_.draining) end();
    };
  }

  enum class Listener { own, inherited };

  void open(os::RawHandle listener, Listener whose, const std::string& name) {
    Hall& hall = os::port_of(listener) == 0 ? local_ : network_;
    auto& doors = whose == Listener::own ? doors_ : inherited_doors_;
    doors.push_back(std::make_unique<Door>(
        hall, listener, [this, &hall](os::Handle stream) { welcome(hall, std::move(stream)); }));
    doors.back()->open();
    options_.log("listening on " + name);
  }

  void run() {
    await_signal();
    os::notify_ready();  // before there are threads: it changes the environment
    std::jthread beside;
    // The first run finds everything that it needs in place; what is done beside it waits for that,
    // but not for an engine that says nothing.
    readiness_.ask([&](const Readiness::Verdict&) {
      if (!desk_.draining) beside = std::jthread(options_.beside);
    });
    loop_.run();
  }

 private:
  void welcome(Hall& hall, os::Handle handle) {
    Gate gate = gate_for(handle.get(), options_.token);
    PlainStream stream(loop_);
    stream.assign(asio::generic::stream_protocol(AF_UNIX, 0), native(handle.release()));
    if (tls_ && &hall == &network_)
      return enter_by_tls(std::move(stream), *tls_, hall, std::move(gate));
    enter(std::move(stream), hall, std::move(gate));
  }

  void await_signal() {
    signals_.async_wait([this](const error_code& error, int) {
      if (error) return;
      if (desk_.draining) return cancel();
      await_signal();
      drain();
    });
  }

  void see_out() {
    for (Hall* const hall : {&local_, &network_}) hall->see_out();
  }

  // Runs that go on can be asked for, and cancelled. Whoever comes to a listener that was handed to
  // us is for the next daemon, which gets it too.
  void drain() {
    desk_.draining = true;
    options_.log("ending: runs have " + std::to_string(options_.bounds.drain.count()) + " s");
    for (const auto& door : inherited_doors_) door->shut();
    see_out();
    if (runs_.count(RunState::queued) + runs_.count(RunState::running) == 0) return end();
    drain_.expires_after(options_.bounds.drain);
    drain_.async_wait([this](const error_code& error) {
      if (!error) cancel();
    });
  }

  void cancel() {
    drain_.cancel();
    signals_.cancel();
    runs_.cancel_all();
  }

  // Nothing runs any more; answers that are being written still go out.
  void end() {
    drain_.cancel();
    signals_.cancel();
    readiness_.stop();
    sessions_.stop();
    runs_.stop();
    for (const auto& door : doors_) door->shut();
    see_out();
    for (Hall* const hall : {&local_, &network_}) hall->give_up();
    work_.reset();
  }

  ServerOptions options_;
  std::unique_ptr<asio::ssl::context> tls_;
  Metrics metrics_;
  Desk desk_;
  // Before the loop: what is still in it at the end are connections, which know their hall.
  Hall local_;
  Hall network_;
  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::signal_set signals_;  // until all is gone: nobody ends us while sessions are closed
  Runs runs_;
  Sessions sessions_;
  Readiness readiness_;
  Workers workers_;  // those use everything above
  Workers chores_;
  Workers makers_;
  Workers fetchers_;
  Workers posts_;
  Workers enders_;
  Workers messages_;  // signals, from clients to programs
  asio::steady_timer drain_;
  std::vector<std::unique_ptr<Door>> doors_;
  std::vector<std::unique_ptr<Door>> inherited_doors_;
};

Status open_all(Server& server, const Listeners& listeners, const ServerOptions& options) {
  if (!listeners.own && !listeners.network.valid() && listeners.inherited.empty())
    return Error(Errc::invalid_argument, "there is nothing to listen on")
        .with_hint("--socket PATH, or $XDG_RUNTIME_DIR for the usual one; --listen for TCP");
  using Listener = Server::Listener;
  if (listeners.own)
    server.open(listeners.own->handle(), Listener::own, listeners.own->path().string());
  if (const os::RawHandle network = listeners.network.get(); listeners.network.valid())
    server.open(network, Listener::own,
                options.place->address + " port " + std::to_string(os::port_of(network)));
  for (const os::Handle& inherited : listeners.inherited)
    server.open(inherited.get(), Listener::inherited,
                "descriptor " + std::to_string(native(inherited.get())));
  return {};
}

}  // namespace

Result<Place> place_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto number = parse_number<std::uint16_t>(port);
  if (!number) return Error(Errc::invalid_argument, "not ADDRESS:PORT: " + text);
  Place place{text.substr(0, colon), *number};
  if (place.address.size() > 2 && place.address.front() == '[' && place.address.back() == ']')
    place.address = place.address.substr(1, place.address.size() - 2);
  return place;
}

Status serve(core::Service& service, const ServerOptions& options) {
  os::raise_descriptor_limit();
  LAZARET_TRY(auto tls, tls_of(options));
  std::optional<Listeners> listeners;  // they go last: the server accepts from them
  Server server(service, options, std::move(tls));
  // From now on SIGTERM is heard, so that nobody leaves a socket behind.
  LAZARET_TRY(Listeners opened, listen(options));
  listeners.emplace(std::move(opened));
  LAZARET_CHECK(open_all(server, *listeners, options));
  server.run();
  return {};
}

}  // namespace lazaret::rest
