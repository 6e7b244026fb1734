#pragma once

#include <string>

namespace lazaret::test {

/// Whom the administrator has given further ids (subuid(5), subgid(5)); `user` is of passwd(5).
struct IdTables {
  std::string users = "10007:200000:65536\n";
  std::string groups = "lazaret-test:300000:65536\n";
  std::string user = "lazaret-test:x:10007:10007::/:/bin/sh\n";
};

/// What this machine lacks for them; empty where it has all.
[[nodiscard]] std::string missing_for_id_tables();
/// Makes this process, and what it starts, see these tables in place of the machine's, in a mount
/// namespace of its own. Only root can.
[[nodiscard]] bool take_id_tables(const IdTables& tables);

}  // namespace lazaret::test
