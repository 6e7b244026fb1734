#pragma once

#include <string>

#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "unit/base/tar_bed.hpp"

// Archives that are put into sessions of a daemon.
namespace lazaret::test {

inline const http::Header kTar{"Content-Type", "application/x-tar"};

[[nodiscard]] inline Reply put_archive(const Daemon& daemon, const std::string& files,
                                       const std::string& archive) {
  return daemon.ask("PUT", files, archive, {kTar});
}

[[nodiscard]] inline std::string files_of_new(const Daemon& daemon,
                                              const Json& limits = Json::object()) {
  const Reply made =
      daemon.ask("POST", "/v1/sessions", Json{{"language", "bash"}, {"limits", limits}}.dump());
  EXPECT_EQ(made.status, 201) << made.body;
  return std::string(made.head.header("Location")) + "/files";
}

[[nodiscard]] inline std::string session_of(const std::string& files) {
  return files.substr(0, files.size() - std::string("/files").size());
}

[[nodiscard]] inline std::string bash_in(const Daemon& daemon, const std::string& files,
                                         const std::string& code) {
  const std::string place = session_of(files);
  const Json id = place.substr(place.rfind('/') + 1);
  const Json result = daemon.ask("POST", "/v1/runs", bash_body(code, {{"session", id}})).json();
  return result.value("stdout", "") + result.value("stderr", "");
}

[[nodiscard]] inline bool is_ready(const Daemon& daemon, const std::string& files) {
  return daemon.ask("GET", session_of(files)).json()["state"] == "ready";
}

[[nodiscard]] inline std::string many_entries(std::size_t from, std::size_t to) {
  std::string entries;
  for (std::size_t number = from; number < to; ++number)
    entries += tar_file("many/" + std::to_string(number), "x");
  return entries;
}

// A request whose body is sent by hand.
[[nodiscard]] inline std::string head_of_put(const std::string& files, std::size_t length) {
  return "PUT " + files + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-tar\r\n" +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

}  // namespace lazaret::test
