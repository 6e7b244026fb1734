#include "integration/tls_wire.hpp"

#include <openssl/ssl.h>

#include <array>
#include <chrono>

#include <gtest/gtest.h>

#include "base/try.hpp"

namespace lazaret::test {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&::SSL_free)>;

Error lost() { return {Errc::connection_lost, "TLS ended"}; }

// What OpenSSL reads and writes lies in memory, and goes over the wire from here.
class TlsWire final : public Wire {
 public:
  explicit TlsWire(std::unique_ptr<Wire> wire)
      : context_(::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free),
        session_(::SSL_new(context_.get()), &::SSL_free),
        wire_(std::move(wire)) {
    ::SSL_set_bio(session_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
    ::SSL_set_connect_state(session_.get());
  }

  Status greet(const Call& call) {
    return drive(call, [this] { return ::SSL_do_handshake(session_.get()); });
  }
  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    std::size_t count = 0;
    const Status read = drive(call, [&] {
      return ::SSL_read_ex(session_.get(), into.data(), into.size(), &count);
    });
    if (!read.ok() && read.error().code() == Errc::connection_lost) return std::size_t{0};
    LAZARET_CHECK(read);
    return count;
  }
  Status write(Bytes bytes, const Call& call) override {
    std::size_t count = 0;
    LAZARET_CHECK(drive(call, [&] {
      return ::SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
    }));
    return send(call);
  }
  Status close_write() override { return wire_->close_write(); }

 private:
  // Until it is done, with what it wants of the peer.
  template <typename Step>
  Status drive(const Call& call, Step step) {
    for (;;) {
      const int done = step();
      if (done == 1) return send(call);
      if (::SSL_get_error(session_.get(), done) != SSL_ERROR_WANT_READ) return lost();
      LAZARET_CHECK(send(call));
      std::array<std::byte, 16384> some{};
      LAZARET_TRY(const std::size_t count, wire_->read(some, call));
      if (count == 0) return lost();
      ::BIO_write(::SSL_get_rbio(session_.get()), some.data(), static_cast<int>(count));
    }
  }
  Status send(const Call& call) {
    std::array<std::byte, 16384> some{};
    for (;;) {
      const int count =
          ::BIO_read(::SSL_get_wbio(session_.get()), some.data(), static_cast<int>(some.size()));
      if (count <= 0) return {};
      LAZARET_CHECK(wire_->write(Bytes(some).first(static_cast<std::size_t>(count)), call));
    }
  }

  Context context_;
  Session session_;
  std::unique_ptr<Wire> wire_;
};

}  // namespace

std::unique_ptr<Wire> tls_over(std::unique_ptr<Wire> wire) {
  auto tls = std::make_unique<TlsWire>(std::move(wire));
  const Status greeted = tls->greet(Call{}.within(std::chrono::seconds(10)));
  EXPECT_TRUE(greeted.ok());
  return greeted.ok() ? std::move(tls) : nullptr;
}

}  // namespace lazaret::test
