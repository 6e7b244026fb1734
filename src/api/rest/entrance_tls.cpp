#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "api/rest/connection_answer.hpp"
#include "api/rest/connection_upload.hpp"
#include "api/rest/entrance.hpp"

namespace lazaret::rest {
namespace {

namespace ssl = boost::asio::ssl;
using TlsStream = ssl::stream<PlainStream>;

// A client that has connected, and has yet to shake hands.
class Greeting final : public Guest, public std::enable_shared_from_this<Greeting> {
 public:
  Greeting(TlsStream stream, Hall& hall, Gate gate)
      : stream_(std::move(stream)), timer_(hall.desk.loop), hall_(hall), gate_(std::move(gate)) {
    hall_.guests.insert(this);
  }
  ~Greeting() override { hall_.guests.erase(this); }

  void start() {
    timer_.expires_after(hall_.desk.bounds.request);
    timer_.async_wait([weak = weak_from_this()](const error_code& error) {
      if (const auto self = weak.lock(); self && !error) self->see_out();
    });
    stream_.async_handshake(ssl::stream_base::server,
                            [self = shared_from_this()](const error_code& error) {
                              self->timer_.cancel();
                              if (!error) self->enter();
                            });
  }
  void see_out() override {
    error_code ignored;
    boost::beast::get_lowest_layer(stream_).close(ignored);
  }
  void give_up() override { see_out(); }

 private:
  void enter() {
    std::make_shared<Connection<TlsStream>>(std::move(stream_), hall_, std::move(gate_))->start();
  }

  TlsStream stream_;
  asio::steady_timer timer_;
  Hall& hall_;
  Gate gate_;
};

Status check(const error_code& error, const std::filesystem::path& file) {
  if (!error) return {};
  return Error(Errc::invalid_argument, file.string() + " cannot be used: " + error.message())
      .with_hint("a certificate and its key are PEM files and belong together");
}

}  // namespace

void enter_by_tls(PlainStream stream, ssl::context& context, Hall& hall, Gate gate) {
  std::make_shared<Greeting>(TlsStream(std::move(stream), context), hall, std::move(gate))->start();
}

Status load(ssl::context& context, const std::filesystem::path& certificate,
            const std::filesystem::path& key) {
  error_code error;
  context.set_options(
      ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::no_compression, error);
  context.use_certificate_chain_file(certificate.string(), error);
  if (const Status used = check(error, certificate); !used.ok()) return used;
  context.use_private_key_file(key.string(), ssl::context::pem, error);
  return check(error, key);
}

}  // namespace lazaret::rest
