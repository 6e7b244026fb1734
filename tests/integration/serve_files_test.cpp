#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// Files that a client of the daemon's sends and gets; none of them is its host's.
namespace lazaret::test {
namespace {

TEST(ServeFiles, PutsFilesAndReturnsArtifacts) {
  const Daemon daemon;
  const Json files = {
      {{"path", "a/text"}, {"content", "text"}},
      {{"path", "tool"}, {"base64", "IyEvYmluL3NoCmVjaG8gcmFuCg=="}, {"executable", true}}};
  const Reply reply = daemon.ask("POST", "/v1/runs",
                                 bash_body("./tool > out/said; cat a/text; mkfifo out/fifo",
                                           {{"files", files}, {"return_artifacts", true}}));
  EXPECT_EQ(reply.json()["stdout"], "text") << reply.body;
  EXPECT_EQ(reply.json()["artifacts"], Json({{{"path", "fifo"}, {"type", "other"}},
                                             {{"path", "said"},
                                              {"type", "file"},
                                              {"size", 4},
                                              {"content", "cmFuCg=="},
                                              {"media_type", "application/octet-stream"}}}));
}

TEST(ServeFiles, TouchesNoFileOfItsHostForAClient) {
  const Daemon daemon;
  const Folder folder;
  const auto status = [&daemon](Json member) {
    member["code"] = "1";
    return daemon.ask("POST", "/v1/runs", member.dump()).status;
  };
  EXPECT_EQ(status({{"output_directory", folder.path()}}), 400);
  EXPECT_EQ(status({{"files", {{{"path", "x"}, {"source", "/etc/passwd"}}}}}), 400);
  EXPECT_EQ(status({{"files", {{{"path", "../x"}, {"content", ""}}}}}), 422);
  EXPECT_EQ(status({{"files", {{{"path", "x"}, {"content", ""}}}}}), 200);
}

}  // namespace
}  // namespace lazaret::test
