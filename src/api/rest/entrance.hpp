#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <filesystem>

#include "api/rest/hall.hpp"
#include "lazaret/result.hpp"

namespace lazaret::rest {

using PlainStream = boost::asio::generic::stream_protocol::socket;

/// Serves a client on a connection of its own, which lives until it ends.
void enter(PlainStream stream, Hall& hall, Gate gate);
/// The same over TLS, once the handshake is done. The context outlives the connection.
void enter_by_tls(PlainStream stream, boost::asio::ssl::context& context, Hall& hall, Gate gate);

/// TLS 1.2 and later with a certificate (and its chain) and its key, both PEM.
/// Errors: invalid_argument, naming the file that cannot be used.
[[nodiscard]] Status load(boost::asio::ssl::context& context,
                          const std::filesystem::path& certificate,
                          const std::filesystem::path& key);

}  // namespace lazaret::rest
