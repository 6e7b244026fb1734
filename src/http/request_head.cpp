#include "http/request_head.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/bytes.hpp"
#include "base/try.hpp"

namespace lazaret::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::uint32_t kMostHead = 16U << 10, kPiece = 4U << 10;

std::string as_string(string_view text) { return {text.data(), text.size()}; }

// Stops at the end of the head.
class HeadParser final : public beast_http::basic_parser<true> {
 public:
  HeadParser() { header_limit(kMostHead + kPiece); }

  RequestHead head;

 private:
  void on_request_impl(beast_http::verb, string_view method, string_view target, int,
                       error_code&) override {
    head.method = as_string(method);
    head.target = as_string(target);
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(beast_http::field, string_view name, string_view value, error_code&) override {
    head.headers.push_back({as_string(name), as_string(value)});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}
};

// Whether the head is whole; it is parsed anew with each piece that comes.
Result<bool> parse(std::string_view heard, RequestHead& head) {
  HeadParser parser;
  error_code error;
  const std::size_t taken = parser.put(boost::asio::buffer(heard.data(), heard.size()), error);
  const bool is_whole = parser.is_header_done();
  if ((is_whole ? taken : heard.size()) > kMostHead)
    return Error(Errc::too_large, "a head of more than 16 KiB");
  if (error && error != beast_http::error::need_more)
    return Error(Errc::protocol, "no HTTP: " + error.message());
  if (!is_whole) return false;
  head = std::move(parser.head);
  head.leftover = heard.substr(taken);
  return true;
}

}  // namespace

Result<RequestHead> read_request_head(Wire& wire, const Call& call) {
  RequestHead head;
  std::string heard;
  std::array<std::byte, kPiece> piece;
  for (;;) {
    LAZARET_TRY(const std::size_t count, wire.read(piece, call));
    if (count == 0) return Error(Errc::connection_lost, "ended within a head");
    heard += text_of(Bytes(piece).first(count));
    LAZARET_TRY(const bool is_whole, parse(heard, head));
    if (is_whole) return head;
  }
}

}  // namespace lazaret::http
