#include "http/request_head.hpp"

#include <algorithm>
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
  HeadParser() {
    header_limit(kMostHead + kPiece);
    body_limit(boost::none);  // which is nobody's here
  }

  RequestHead head;

 private:
  void on_request_impl(beast_http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head.is_1_0 = version == 10;
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

Error no_head(const std::string& why) { return Error(Errc::protocol, "no HTTP: " + why); }

Result<RequestHead> parse(std::string_view heard) {
  HeadParser parser;
  error_code error;
  const std::size_t taken = parser.put(boost::asio::buffer(heard.data(), heard.size()), error);
  if (error && error != beast_http::error::need_more) return no_head(error.message());
  if (!parser.is_header_done()) return no_head("a head without an end");
  parser.head.leftover = heard.substr(taken);
  return std::move(parser.head);
}

}  // namespace

// Parsed once, when its end is there: who dribbles it has it read no more often.
Result<RequestHead> read_request_head(Wire& wire, const Call& call) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::string heard;
  std::array<std::byte, kPiece> piece;
  for (std::size_t looked_at = 0;;) {
    LAZARET_TRY(const std::size_t count, wire.read(piece, call));
    if (count == 0) return Error(Errc::connection_lost, "ended within a head");
    heard += text_of(Bytes(piece).first(count));
    if (heard[0] < 'A' || heard[0] > 'Z') return no_head("it begins with no method");
    const std::size_t end = heard.find(kEnd, looked_at);
    const bool is_whole = end != heard.npos;
    if ((is_whole ? end + kEnd.size() : heard.size()) > kMostHead)
      return Error(Errc::too_large, "a head of more than 16 KiB");
    if (is_whole) return parse(heard);
    looked_at = heard.size() - std::min(heard.size(), kEnd.size() - 1);
  }
}

}  // namespace lazaret::http
