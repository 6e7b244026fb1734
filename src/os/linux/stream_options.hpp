#pragma once

namespace lazaret::os {

/// What every connection of ours has, made or accepted; no matter on Unix sockets. A stream's
/// pieces are small and wanted at once. A peer that has vanished without a word is found after a
/// minute and a half, which nothing else does while a run goes on in silence (tcp(7)). For one that
/// does not read, the kernel keeps no more than 128 KiB beyond what that one has room for, instead
/// of net.ipv4.tcp_wmem's megabytes: who writes learns of it (TCP_NOTSENT_LOWAT, Linux 3.12).
void prepare_stream(int descriptor) noexcept;

}  // namespace lazaret::os
