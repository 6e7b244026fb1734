#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/call.hpp"
#include "engine/client.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

/// /containers/{id}/archive: files in and out of a container, as tar.
namespace lazaret::engine::archive {

struct Stat {
  std::string name;
  std::int64_t size_bytes = 0;
  std::uint32_t mode = 0;  ///< Go's os.FileMode, not the kernel's
  std::string link_target;
};

/// Unpacks a tar, sent as its source makes it, below the directory `path`, which must exist. Fails
/// on read-only containers, for a tmpfs too (P-36).
[[nodiscard]] Status put(const EngineClient& client, std::string_view id, std::string_view path,
                         const http::BodySource& tar, const Call& call);
struct GetOptions {
  std::string path = {};
  std::size_t cap_bytes = 64UL << 20;  ///< of the tar
};
/// Streams a path as a tar. Errors: not_found; too_large above the cap.
[[nodiscard]] Result<Stat> get(const EngineClient& client, std::string_view id,
                               const GetOptions& options, const http::BodySink& sink,
                               const Call& call);
[[nodiscard]] Result<Stat> stat(const EngineClient& client, std::string_view id,
                                std::string_view path, const Call& call);

/// Decodes X-Docker-Container-Path-Stat. Errors: protocol.
[[nodiscard]] Result<Stat> parse_stat(std::string_view header);

}  // namespace lazaret::engine::archive
