#include "base/endpoint.hpp"

#include <charconv>

#include "base/letters.hpp"

namespace lazaret {
namespace {

constexpr std::size_t kLongestHost = 253;  // RFC 1035
constexpr std::string_view kInNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
constexpr std::string_view kInAddresses = "0123456789abcdefABCDEF:.";

}  // namespace

std::optional<Endpoint> endpoint_in(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  Endpoint endpoint;
  const auto read = std::from_chars(digits.begin(), digits.end(), endpoint.port);
  if (read.ec != std::errc() || read.ptr != digits.end() || endpoint.port == 0) return std::nullopt;
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.ends_with('.')) host.remove_suffix(1);  // the root; the same host
  const auto letters = bracketed ? kInAddresses : kInNames;
  const bool has_labels =
      !host.starts_with('.') && !host.ends_with('.') && host.find("..") == host.npos;
  const bool is_well = !host.empty() && host.size() <= kLongestHost && has_labels &&
                       host.find_first_not_of(letters) == host.npos;
  if (!is_well || (bracketed && host.find(':') == host.npos)) return std::nullopt;
  endpoint.host = lower_case(host);
  return endpoint;
}

bool names_port(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  return text.find(':', bracket == text.npos ? 0 : bracket) != text.npos;
}

std::optional<Endpoint> endpoint_in(std::string_view text, std::uint16_t otherwise) {
  if (names_port(text)) return endpoint_in(text);
  return endpoint_in(std::string(text) + ":" + std::to_string(otherwise));
}

std::string text_of(const Endpoint& endpoint) {
  const bool is_bracketed = endpoint.host.find(':') != std::string::npos;
  return (is_bracketed ? "[" + endpoint.host + "]" : endpoint.host) + ":" +
         std::to_string(endpoint.port);
}

}  // namespace lazaret
