#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/archives_bed.hpp"
#include "soon.hpp"

// Directories of sessions as archives, which clients send and get.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class ServeArchivesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto words = words_for(GetParam());
    if (words.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    daemon_ = std::make_unique<Daemon>(words);
  }
  [[nodiscard]] const Daemon& daemon() const { return *daemon_; }

 private:
  std::unique_ptr<Daemon> daemon_;
};

// What it says of an archive that is cut where its client does not look, and its status.
std::string list_by_gnu_tar(const Daemon& daemon, const std::string& files) {
  http::Exchange exchange(daemon.connect());
  const http::Request get{"GET", files + "?format=tar", {{"Host", "x"}}, ""};
  EXPECT_TRUE(exchange.send(get, soon()).ok());
  EXPECT_TRUE(exchange.head(soon()).ok());
  std::string taken;
  const http::BodySink sink = [&taken](Bytes piece) {
    taken += text_of(piece);
    return Status();
  };
  (void)exchange.body(sink, soon()).ok();
  const Ended told = run_program({.argv = {"tar", "t"}, .input = taken});
  return told.out + told.err + " " + std::to_string(told.status) + "\n";
}

TEST_P(ServeArchivesOn, GoInAndComeOutAsTheyWere) {
  const std::string long_name(255, 'n'), odd = "new\nline \xc3\xa9 \xff";
  const std::string archive =
      tar_of(tar_entry({.path = "empty", .kind = TarKind::directory}) + tar_file(odd, "odd") +
             tar_file("d/" + long_name + "/" + long_name, "deep") +
             tar_entry({.path = "run", .mode = 0755}, "#!/bin/sh\necho ran\n") +
             tar_file("large", std::string(200'000, 'l')) +
             tar_entry({.path = "d/link", .kind = TarKind::link, .target = "../run"}));
  const std::string files = files_of_new(daemon());
  const Reply put = put_archive(daemon(), files + "?path=a%20b", archive);
  EXPECT_EQ(put.status, 204) << put.body;
  EXPECT_EQ(bash_in(daemon(), files, "cd 'a b'; d/link; cat d/*/*; wc -c < large; mkfifo fifo"),
            "ran\ndeep200000\n");
  const Reply got = daemon().ask("GET", files + "?path=a%20b&format=tar");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.head.header("Content-Type"), "application/x-tar");
  EXPECT_THAT(
      told_of_tar(got.body),
      UnorderedElementsAre("directory empty 755", "file " + odd + " 644 odd", "directory d 755",
                           "directory d/" + long_name + " 755",
                           "file d/" + long_name + "/" + long_name + " 644 deep",
                           "file run 755 #!/bin/sh\necho ran\n",
                           "file large 644 " + std::string(200'000, 'l'), "link d/link -> ../run"));
  const std::string again = files_of_new(daemon());
  EXPECT_EQ(put_archive(daemon(), again, got.body).status, 204);
  EXPECT_EQ(bash_in(daemon(), again, "d/link"), "ran\n");
}

TEST_P(ServeArchivesOn, OfWhatIsOneFileOrNothing) {
  const std::string files = files_of_new(daemon());
  EXPECT_EQ(put_archive(daemon(), files, tar_of(tar_file("d/f", "text"))).status, 204);
  EXPECT_THAT(told_of_tar(daemon().ask("GET", files + "?path=d/f&format=tar").body),
              ElementsAre("file f 644 text"));
  EXPECT_EQ(put_archive(daemon(), files + "?path=none", tar_of("")).status, 204);
  EXPECT_THAT(told_of_tar(daemon().ask("GET", files + "?path=none&format=tar").body),
              ElementsAre());
  EXPECT_EQ(daemon().ask("GET", files + "?path=other&format=tar").status, 404);
  EXPECT_EQ(daemon().ask("GET", files + "?path=..&format=tar").status, 422);
}

TEST_P(ServeArchivesOn, AreRefusedWithTheEntryThatCannotBe) {
  const std::string files = files_of_new(daemon());
  const auto named = [](const char* name) {
    return with_field(tar_file("it", "x"), tar::kName, name);
  };
  const auto of_kind = [](const char* kind) {
    return with_field(tar_file("it", ""), tar::kKind, kind);
  };
  const auto link = [](const char* target) {
    return tar_entry({.path = "it", .kind = TarKind::link, .target = target});
  };
  const std::vector<std::pair<std::string, std::string>> all = {
      {named("../it"), "\"../it\": a path in an archive climbs out"},
      {named("/it"), "\"/it\": a path in an archive is absolute"},
      {of_kind("1"), "\"it\": a hard link"},
      {of_kind("3"), "\"it\": a device"},
      {of_kind("4"), "\"it\": a device"},
      {of_kind("6"), "\"it\": a fifo"},
      {of_kind("S"), "\"it\": a sparse file"},
      {link("/etc/passwd"), "\"it\": a link that leads out"},
      {link("../it"), "\"it\": a link that leads out"},
      {tar_extension('x', pax_record(std::string("path=a\0b", 8))) + named("it"), "a NUL"},
      {tar_extension('x', pax_record("size=99999999999999999999")) + named("it"), "no number"}};
  for (const auto& [entry, flaw] : all) {
    const Reply reply = put_archive(daemon(), files, tar_of(tar_file("before", "x") + entry));
    EXPECT_EQ(reply.status, 422) << flaw;
    EXPECT_THAT(reply.json().value("detail", ""), HasSubstr(flaw));
  }
  EXPECT_THAT(
      put_archive(daemon(), files, tar_file("it", std::string(999, 'x')).substr(0, 999)).body,
      HasSubstr("the archive ends too early"));
  EXPECT_EQ(bash_in(daemon(), files, "find . ! -name main.sh | sort; ls /tmp"), ".\n./before\n");
  EXPECT_TRUE(is_ready(daemon(), files));
}

TEST_P(ServeArchivesOn, GoThroughNoLinkThatAProgramHasMade) {
  const std::string files = files_of_new(daemon());
  EXPECT_EQ(bash_in(daemon(), files, "ln -s /tmp out; mkdir d; : > f"), "");
  const auto status = [&](const std::string& query, const std::string& name) {
    return put_archive(daemon(), files + query, tar_of(tar_file(name, "x"))).status;
  };
  EXPECT_EQ(status("", "out/x"), 409);
  EXPECT_EQ(status("?path=out", "x"), 409);
  EXPECT_EQ(status("", "f/x"), 409);
  EXPECT_EQ(status("", "d"), 409);
  EXPECT_EQ(bash_in(daemon(), files, "ls /tmp; ls -d d"), "d\n");
  EXPECT_THAT(told_of_tar(daemon().ask("GET", files + "?format=tar").body),
              IsSupersetOf({"link out -> /tmp"}));
  EXPECT_EQ(daemon().ask("GET", files + "?path=out/x&format=tar").status, 404);
  EXPECT_EQ(status("", "out"), 204);  // the link gives way, not what it leads to
  EXPECT_EQ(bash_in(daemon(), files, "cat out; ls /tmp"), "x");
  EXPECT_TRUE(is_ready(daemon(), files));
}

TEST_P(ServeArchivesOn, MayNameAFileTwiceAndTheLastStays) {
  const std::string files = files_of_new(daemon());
  EXPECT_EQ(put_archive(daemon(), files,
                        tar_of(tar_file("a", "first") + tar_file("b", "") + tar_file("a", "2nd")))
                .status,
            204);
  EXPECT_EQ(bash_in(daemon(), files, "cat a"), "2nd");
}

TEST_P(ServeArchivesOn, EndAtTheRoomOfTheBox) {
  const std::string files = files_of_new(
      daemon(), {{"disk_bytes", 4 << 20}, {"file_bytes", 3 << 20}, {"disk_files", 1000}});
  std::string bomb;
  for (int number = 0; number < 8; ++number)
    bomb += tar_file("bomb" + std::to_string(number), std::string(1 << 20, 'x'));
  const Reply full = put_archive(daemon(), files, tar_of(bomb));
  EXPECT_EQ(full.status, 413);
  EXPECT_THAT(full.json().value("detail", ""), HasSubstr("no room for /work/bomb"));
  EXPECT_EQ(daemon().ask("DELETE", files + "?path=bomb0").status, 204);
  const Reply many = put_archive(daemon(), files, tar_of(many_entries(0, 2000)));
  EXPECT_EQ(many.status, 413);
  EXPECT_THAT(many.json().value("detail", ""), HasSubstr("no room for /work/many/"));
  // Nothing of what it says that it will have is waited for.
  const std::string huge = tar_head({.path = "huge", .size = 1ULL << 40}).value();
  EXPECT_THAT(put_archive(daemon(), files, huge).body, HasSubstr("no room for /work/huge"));
  EXPECT_THAT(
      put_archive(daemon(), files, tar_of(tar_file("large", std::string((3 << 20) + 1, 'x')))).body,
      HasSubstr("/work/large is larger than a file may be"));
  EXPECT_TRUE(is_ready(daemon(), files));
}

TEST_P(ServeArchivesOn, AreCutWhereSomethingCannotBeRead) {
  const std::string files = files_of_new(daemon());
  EXPECT_EQ(bash_in(daemon(), files, "echo a > a; echo z > z; chmod 0 a"), "");
  ASSERT_THAT(bash_in(daemon(), files, "cat a 2>&1"), HasSubstr("Permission denied"));
  const std::string told =
      daemon().say("GET " + files + "?format=tar HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(told, HasSubstr("200 OK"));
  EXPECT_NE(told.find("z\n"), told.npos);
  EXPECT_FALSE(told.ends_with("0\r\n\r\n"));
  EXPECT_THAT(list_by_gnu_tar(daemon(), files), Not(EndsWith(" 0\n")));
  EXPECT_EQ(bash_in(daemon(), files, "chmod 644 a"), "");
  EXPECT_THAT(list_by_gnu_tar(daemon(), files), EndsWith(" 0\n"));
  EXPECT_TRUE(
      daemon()
          .say("GET " + files + "?format=tar HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
          .ends_with("0\r\n\r\n"));
}

TEST_P(ServeArchivesOn, LeaveTheSessionAsItIsWhenTheClientGoesAway) {
  const std::string files = files_of_new(daemon());
  EXPECT_EQ(
      put_archive(daemon(), files, tar_of(tar_file("large", std::string(8 << 20, 'l')))).status,
      204);
  for (const std::string& request :
       {head_of_put(files, 1 << 20) + tar_file("whole", "x") +
            tar_file("cut", std::string(900'000, 'c')).substr(0, 200'000),
        "GET " + files + "?format=tar HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    const auto wire = daemon().connect();
    ASSERT_TRUE(wire->write(bytes_of(request), Call{}.within(10s)).ok());
    if (request.starts_with("GET")) {
      EXPECT_THAT(text_until(*wire, "large"), HasSubstr("large"));
    }
  }
  // It may have gone before anything of it was taken.
  EXPECT_THAT(bash_in(daemon(), files, "ls"), AnyOf("large\nmain.sh\n", "large\nmain.sh\nwhole\n"));
  EXPECT_TRUE(is_ready(daemon(), files));
}

TEST_P(ServeArchivesOn, OfAHundredThousandFilesGoInChunksAndComeOut) {
  const std::string files =
      files_of_new(daemon(), {{"disk_bytes", 768 << 20},
                              {"disk_files", 120'000},
                              {"memory_bytes", 1 << 30}});
#ifdef LAZARET_SANITIZED
  constexpr std::size_t kMany = 10'000;
#else
  constexpr std::size_t kMany = 100'000;
#endif
  http::Exchange exchange(daemon().connect());
  std::size_t next = 0;
  std::string rest;
  const http::BodySource source = [&](std::span<std::byte> into) -> Result<std::size_t> {
    if (rest.empty() && next < kMany) {
      rest = many_entries(next, next + 100);
      if ((next += 100) == kMany) rest += tar_end();
    }
    const std::size_t count = std::min(rest.size(), into.size());
    std::ranges::copy(bytes_of(rest).first(count), into.begin());
    rest.erase(0, count);
    return count;
  };
  const Call call = Call{}.within(120s);
  ASSERT_TRUE(exchange.send({"PUT", files, {{"Host", "x"}, kTar}, ""}, source, call).ok());
  EXPECT_EQ(exchange.head(call)->status, 204);
  EXPECT_EQ(told_of_tar(daemon().ask("GET", files + "?path=many&format=tar").body).size(), kMany);
}

INSTANTIATE_TEST_SUITE_P(Of, ServeArchivesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
