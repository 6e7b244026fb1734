#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lazaret {
namespace {

std::string digest_of(const std::string& text) { return to_hex(sha256(bytes_of(text))); }

// The vectors are those of FIPS 180-4's examples and of NIST's SHA256ShortMsg and long message.

TEST(Sha256, OfNothingIsTheKnownDigest) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfAbcIsTheKnownDigest) {
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfTwoBlocksIsTheKnownDigest) {
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, OfAMillionLettersIsTheKnownDigest) {
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePiecesItIsGiven) {
  const std::string text(200, 'x');
  for (std::size_t length = 50; length <= 130; ++length) {
    Sha256 hash;
    for (std::size_t at = 0; at < length; ++at) hash.update(bytes_of(text).subspan(at, 1));
    EXPECT_EQ(to_hex(hash.finish()), digest_of(text.substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace lazaret
