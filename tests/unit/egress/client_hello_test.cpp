#include "egress/client_hello.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/egress/hello.hpp"

namespace lazaret::egress {
namespace {

using Kind = ServerName::Kind;

TEST(ClientHellos, NameTheirHost) {
  const ServerName name = server_name_in(hello_for("Example.ORG."));
  EXPECT_EQ(name.kind, Kind::named);
  EXPECT_EQ(name.name, "Example.ORG.");
  EXPECT_EQ(server_name_in(hello_for("a") + "and what follows it").kind, Kind::named);
}

TEST(ClientHellos, AreWaitedForToTheirEnd) {
  const std::string hello = hello_for("example.org");
  for (std::size_t size = 0; size < hello.size(); ++size) {
    const ServerName name = server_name_in(hello.substr(0, size));
    EXPECT_EQ(name.kind, Kind::needs_more) << size;
    EXPECT_GE(name.missing, 1U) << size;
    EXPECT_LE(name.missing, hello.size() - size) << size;
  }
}

TEST(ClientHellos, MayLieInManyRecords) {
  const std::string whole = handshake(server_name("example.org"));
  std::string records;
  for (const char byte : whole) records += record(std::string(1, byte));
  EXPECT_EQ(server_name_in(records).name, "example.org");
}

TEST(ClientHellos, MayNameNobody) {
  EXPECT_EQ(server_name_in(record(handshake(extension(16, "")))).kind, Kind::absent);
  EXPECT_EQ(server_name_in(record(handshake(""))).kind, Kind::absent);
  for (const char* const other : {"GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\x80"})
    EXPECT_EQ(server_name_in(other).kind, Kind::absent) << other;
}

TEST(ClientHellos, AreNotReadInTwoWays) {
  const std::string twice = server_name("a.org") + server_name("b.org");
  const std::string two = extension(
      0, counted(number(0, 1) + counted("a.org", 2) + number(0, 1) + counted("b.org", 2), 2));
  const std::string cut = handshake(server_name("a.org")).substr(4);
  for (const std::string& handshake_text :
       {handshake(twice), handshake(two), handshake(extension(0, "")), handshake("rest"),
        handshake(extension(0, counted(number(1, 1) + counted("a", 2), 2))),
        handshake(server_name("")), number(1, 1) + counted(cut.substr(0, cut.size() - 1), 3),
        number(2, 1) + counted("server", 3)})
    EXPECT_EQ(server_name_in(record(handshake_text)).kind, Kind::unreadable);
  EXPECT_EQ(server_name_in(record("")).kind, Kind::unreadable);
  EXPECT_EQ(server_name_in(record("\x01") + "\x17\x03\x01").kind, Kind::unreadable);
}

// Some servers take what comes behind an alert.
TEST(ClientHellos, AreTheFirstThingOfTls) {
  const std::string hello = hello_for("a.org");
  for (const std::string& before :
       {std::string("\x15\x03\x01\x00\x02\x01\x64", 7), std::string("\x14\x03\x01\x00\x01\x01", 6),
        std::string("\x17\x03\x01\x00\x01x", 6), std::string("\x18\x03\x01\x00\x01x", 6)})
    EXPECT_EQ(server_name_in(before + hello).kind, Kind::unreadable);
}

// Servers do not look at the version of a record.
TEST(ClientHellos, AreOfEveryVersion) {
  std::string hello = hello_for("a.org");
  for (const char version : {'\0', '\2', '\x0F'}) {
    hello[1] = version;
    EXPECT_EQ(server_name_in(hello).name, "a.org");
  }
  hello[1] = '\x10';
  EXPECT_EQ(server_name_in(hello).kind, Kind::absent);
  EXPECT_EQ(server_name_in("\x14").kind, Kind::needs_more);
  EXPECT_EQ(server_name_in("\x14\x10").kind, Kind::absent);
  EXPECT_EQ(server_name_in("\x13\x03").kind, Kind::absent);
}

// Nobody waits for what is said to come and would be too much.
TEST(ClientHellos, AreNotWaitedForBeyondTheirBound) {
  const auto claims = [](std::size_t size) {
    return "\x16\x03\x01\xff\xff" + number(1, 1) + number(size, 3);
  };
  EXPECT_EQ(server_name_in(claims((64 << 10) - 4)).kind, Kind::needs_more);
  EXPECT_EQ(server_name_in(claims((64 << 10) - 3)).kind, Kind::unreadable);
  EXPECT_EQ(server_name_in(claims(0xFFFFFF)).kind, Kind::unreadable);
}

TEST(ClientHellos, EndBySixtyFourKiB) {
  const std::string large = number(1, 1) + number((64 << 10) - 4, 3) + std::string(70'000, 'x');
  std::string records;
  for (std::size_t at = 0; at < large.size(); at += 10'000)
    records += record(large.substr(at, 10'000));
  EXPECT_EQ(server_name_in(records.substr(0, (64 << 10) - 1)).kind, Kind::needs_more);
  EXPECT_EQ(server_name_in(records.substr(0, 64 << 10)).kind, Kind::unreadable);
}

}  // namespace
}  // namespace lazaret::egress
