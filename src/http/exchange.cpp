#include "http/exchange.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/letters.hpp"
#include "base/try.hpp"

namespace lazaret::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::size_t kHeadBytes = 64UL << 10;
constexpr std::size_t kChunkBytes = 64UL << 10;
constexpr int kInterimAnswers = 8;
// "0\r\n\r\n", the shortest end of a chunked body.
constexpr std::size_t kLastChunkBytes = 5;

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

// Beast keeps the states; this keeps what it finds. No body byte is stored here.
class Parser final : public beast_http::basic_parser<false> {
 public:
  Parser() {
    header_limit(kHeadBytes);
    body_limit(boost::none);
  }

  ResponseHead head;
  const BodySink* sink = nullptr;
  Status sink_status;

  [[nodiscard]] bool at_chunk_header() const { return chunked() && chunk_left_ == 0; }

 private:
  void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { head.status = code; }
  void on_field_impl(beast_http::field, string_view name, string_view value, error_code&) override {
    if (is_header_done()) return;  // a trailer (P-33) changes nothing any more
    head.headers.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view piece, error_code& error) override {
    return deliver(piece, error);
  }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code&) override {
    chunk_left_ = size;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view piece, error_code& error) override {
    chunk_left_ -= piece.size();
    return deliver(piece, error);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t deliver(string_view piece, error_code& error) {
    if (piece.empty()) return 0;
    sink_status = (*sink)(bytes_of({piece.data(), piece.size()}));
    if (!sink_status.ok()) error = beast_http::error::body_limit;
    return piece.size();
  }

  std::uint64_t chunk_left_ = 0;
};

Error http_error(const error_code& error) {
  if (error == beast_http::error::partial_message) {
    return Error(Errc::connection_lost, "the peer ended its answer early");
  }
  if (error == beast_http::error::header_limit || error == beast_http::error::buffer_overflow) {
    return Error(Errc::too_large, "the head of the answer is longer than 64 KiB");
  }
  return Error(Errc::protocol, "the answer is not HTTP: " + error.message());
}

bool fit_for_head(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

bool fit_for_word(std::string_view text) noexcept {
  return !text.empty() && fit_for_head(text) && text.find_first_of(" \t:") == text.npos;
}

bool fit_for_target(std::string_view text) noexcept {
  return !text.empty() && text.front() == '/' && fit_for_head(text) &&
         text.find_first_of(" \t") == text.npos;
}

// "size CRLF data CRLF" in `chunk`; the data is there already, behind kChunkHead bytes.
constexpr std::size_t kChunkHead = 10;
Bytes framed_chunk(std::vector<std::byte>& chunk, std::size_t size) {
  std::array<char, kChunkHead> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  const std::size_t begin = kChunkHead - 2 - length;
  std::memcpy(chunk.data() + begin, digits.data(), length);
  std::memcpy(chunk.data() + kChunkHead - 2, "\r\n", 2);
  std::memcpy(chunk.data() + kChunkHead + size, "\r\n", 2);
  return Bytes(chunk).subspan(begin, length + 2 + size + 2);
}

}  // namespace

Result<std::string> serialise(const Request& request, BodyFraming framing) {
  if (!fit_for_word(request.method) || !fit_for_target(request.target)) {
    return Error(Errc::invalid_argument, "not a request line: " + request.method);
  }
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const Header& header : request.headers) {
    if (!fit_for_word(header.name) || !fit_for_head(header.value)) {
      return Error(Errc::invalid_argument, "not a header field: its value is withheld");
    }
    text += header.name + ": " + header.value + "\r\n";
  }
  if (framing == BodyFraming::chunked) return text + "Transfer-Encoding: chunked\r\n\r\n";
  if (request.method != "GET" && request.method != "HEAD") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

std::string_view ResponseHead::header(std::string_view name) const noexcept {
  for (const Header& field : headers) {
    if (same_name(field.name, name)) return field.value;
  }
  return {};
}

BodySource source_of(Bytes bytes) {
  return [bytes](std::span<std::byte> into) mutable -> Result<std::size_t> {
    const std::size_t count = std::min(bytes.size(), into.size());
    std::copy_n(bytes.begin(), count, into.begin());
    bytes = bytes.subspan(count);
    return count;
  };
}

class Exchange::Body {
 public:
  explicit Body(std::unique_ptr<Wire> wire) : wire_(std::move(wire)), buffer_(kHeadBytes) {}

  Status write(Bytes bytes, const Call& call) {
    LAZARET_CHECK(call.check());
    return wire_->write(bytes, call);
  }
  Status send(const Request& request, const Call& call);
  Status send(const Request& request, const BodySource& source, const Call& call);
  Result<ResponseHead> head(const Call& call);
  Status body(const BodySink& sink, const Call& call);
  Result<std::string> piece(const Call& call);
  Stream hijack() &&;

 private:
  Status note_request(const Request& request);
  Status settle(Status written);
  Status write_chunks(const BodySource& source, const Call& call);
  Status read_head(const Call& call);
  template <typename Enough>
  Status read_body(const BodySink& sink, Enough enough, const Call& call);
  Status read_some(const Call& call);
  Status parse();
  Result<bool> fill(const Call& call);
  void renew_parser();

  [[nodiscard]] std::size_t buffered() const noexcept { return end_ - begin_; }

  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Parser> parser_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool without_body_ = false;
  std::optional<Error> write_error_;
};

Status Exchange::Body::note_request(const Request& request) {
  if (parser_) return Error(Errc::invalid_argument, "the connection has been used already");
  without_body_ = request.method == "HEAD";
  renew_parser();
  return {};
}

void Exchange::Body::renew_parser() {
  parser_ = std::make_unique<Parser>();
  if (without_body_) parser_->skip(true);
}

// A server may answer and hang up before it has read everything: the answer says more than the
// broken pipe, so that error waits until it is known that no answer comes.
Status Exchange::Body::settle(Status written) {
  if (written.ok() || written.error().code() != Errc::connection_lost) return written;
  write_error_ = std::move(written).error();
  return {};
}

Status Exchange::Body::send(const Request& request, const Call& call) {
  LAZARET_CHECK(note_request(request));
  LAZARET_TRY(const std::string text, serialise(request, BodyFraming::content_length));
  return settle(write(bytes_of(text), call));
}

Status Exchange::Body::send(const Request& request, const BodySource& source, const Call& call) {
  LAZARET_CHECK(note_request(request));
  LAZARET_TRY(const std::string text, serialise(request, BodyFraming::chunked));
  LAZARET_CHECK(settle(write(bytes_of(text), call)));
  if (write_error_) return {};
  return write_chunks(source, call);
}

Status Exchange::Body::write_chunks(const BodySource& source, const Call& call) {
  std::vector<std::byte> chunk(kChunkHead + kChunkBytes + 2);
  for (;;) {
    LAZARET_CHECK(call.check());
    LAZARET_TRY(const std::size_t size, source(std::span(chunk).subspan(kChunkHead, kChunkBytes)));
    if (size > kChunkBytes) return Error(Errc::invalid_argument, "the body's source overran");
    if (size == 0) return settle(write(bytes_of("0\r\n\r\n"), call));
    LAZARET_CHECK(settle(write(framed_chunk(chunk, size), call)));
    if (write_error_) return {};
  }
}

// False at the end of the stream.
Result<bool> Exchange::Body::fill(const Call& call) {
  LAZARET_CHECK(call.check());
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    return Error(Errc::too_large, "a header of the answer is longer than 64 KiB");
  }
  LAZARET_TRY(const std::size_t count, wire_->read(std::span(buffer_).subspan(end_), call));
  end_ += count;
  return count > 0;
}

// One step of the parser over what is buffered; asking for more is not an error.
Status Exchange::Body::parse() {
  error_code error;
  begin_ += parser_->put(boost::asio::buffer(buffer_.data() + begin_, buffered()), error);
  if (!parser_->sink_status.ok()) return std::move(parser_->sink_status).error();
  if (error && error != beast_http::error::need_more) return http_error(error);
  return {};
}

Status Exchange::Body::read_head(const Call& call) {
  while (!parser_->is_header_done()) {
    LAZARET_TRY(const bool more, fill(call));
    if (!more) {
      return Error(Errc::connection_lost, buffered() == 0 ? "the peer hung up without an answer"
                                                          : "the answer ends in its head");
    }
    LAZARET_CHECK(parse());
  }
  return {};
}

Result<ResponseHead> Exchange::Body::head(const Call& call) {
  if (!parser_) return Error(Errc::invalid_argument, "nothing has been asked");
  for (int answers = 0; answers < kInterimAnswers; ++answers) {
    if (buffered() > 0) LAZARET_CHECK(parse());
    if (auto status = read_head(call); !status.ok()) {
      if (write_error_ && status.error().code() == Errc::connection_lost) return *write_error_;
      return std::move(status).error();
    }
    const int code = parser_->head.status;
    if (code / 100 != 1 || code == 101) return parser_->head;
    renew_parser();
  }
  return Error(Errc::protocol, "the peer sends interim answers without end");
}

Status Exchange::Body::read_some(const Call& call) {
  // WHY: Beast asserts that five bytes are there when it comes back to the last chunk's header.
  // A valid body always has that many left at any chunk header.
  const std::size_t enough = parser_->at_chunk_header() ? kLastChunkBytes : 1;
  const std::size_t before = buffered();
  if (before >= enough) LAZARET_CHECK(parse());
  if (parser_->is_done() || (before >= enough && buffered() < before)) return {};
  LAZARET_TRY(const bool more, fill(call));
  if (more) return {};
  error_code error;
  parser_->put_eof(error);
  return error ? Status(http_error(error)) : Status();
}

template <typename Enough>
Status Exchange::Body::read_body(const BodySink& sink, Enough enough, const Call& call) {
  if (!parser_ || !parser_->is_header_done()) {
    return Error(Errc::invalid_argument, "the head has not been read");
  }
  parser_->sink = &sink;
  Status status;
  while (status.ok() && !parser_->is_done() && !enough()) status = read_some(call);
  parser_->sink = nullptr;
  return status;
}

Status Exchange::Body::body(const BodySink& sink, const Call& call) {
  return read_body(sink, [] { return false; }, call);
}

Result<std::string> Exchange::Body::piece(const Call& call) {
  std::string piece;
  const BodySink sink = [&piece](Bytes some) {
    piece += text_of(some);
    return Status();
  };
  LAZARET_CHECK(read_body(sink, [&piece] { return !piece.empty(); }, call));
  return piece;
}

Exchange::Stream Exchange::Body::hijack() && {
  const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
  const auto last = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
  return {std::move(wire_), std::vector<std::byte>(first, last)};
}

Exchange::Exchange(std::unique_ptr<Wire> wire) : body_(std::make_unique<Body>(std::move(wire))) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Status Exchange::send(const Request& request, const Call& call) {
  return body_->send(request, call);
}

Status Exchange::send(const Request& request, const BodySource& body, const Call& call) {
  return body_->send(request, body, call);
}

Result<ResponseHead> Exchange::head(const Call& call) { return body_->head(call); }

Status Exchange::body(const BodySink& sink, const Call& call) { return body_->body(sink, call); }

Result<std::string> Exchange::body(std::size_t cap_bytes, const Call& call) {
  std::string text;
  const BodySink collect = [&text, cap_bytes](Bytes piece) -> Status {
    if (piece.size() > cap_bytes - text.size()) {
      return Error(Errc::too_large,
                   "the answer is longer than " + std::to_string(cap_bytes) + " bytes");
    }
    text += text_of(piece);
    return {};
  };
  LAZARET_CHECK(body_->body(collect, call));
  return text;
}

Result<std::string> Exchange::piece(const Call& call) { return body_->piece(call); }

Exchange::Stream Exchange::hijack() && { return std::move(*body_).hijack(); }

}  // namespace lazaret::http
