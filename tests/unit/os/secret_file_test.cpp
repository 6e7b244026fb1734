#include "os/secret_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 8;
constexpr uid_t kSomebodyElse = 10007;

class SecretFile : public testing::Test {
 protected:
  SecretFile() {
    std::string name = (fs::temp_directory_path() / "lazaret-secret-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "token";
    write("secret\n");
  }
  ~SecretFile() override { fs::remove_all(folder_); }
  void write(const std::string& text) const {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), 0600);
  }
  [[nodiscard]] Errc refusal() const {
    const auto text = read_secret(path_, kMost);
    return text.ok() ? Errc{} : text.error().code();
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(SecretFile, IsReadUpToItsBound) {
  EXPECT_EQ(read_secret(path_, kMost).value(), "secret\n");
  write("12345678");
  EXPECT_EQ(read_secret(path_, kMost).value(), "12345678");
  write("123456789");
  EXPECT_EQ(refusal(), Errc::too_large);
}

TEST_F(SecretFile, IsRefusedWhenOthersMayReadOrWriteIt) {
  for (const mode_t mode : {0640U, 0620U, 0604U, 0602U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(refusal(), Errc::permission_denied) << mode;
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_TRUE(read_secret(path_, kMost).ok());
}

TEST_F(SecretFile, IsRefusedWhenSomebodyElseOwnsIt) {
  if (::chown(path_.c_str(), kSomebodyElse, 0) != 0) GTEST_SKIP() << "only root can give it away";
  EXPECT_EQ(refusal(), Errc::permission_denied);
}

TEST_F(SecretFile, IsNeitherMissingNorADirectoryNorAPipe) {
  fs::remove(path_);
  EXPECT_EQ(refusal(), Errc::not_found);
  fs::create_directory(path_);
  EXPECT_EQ(refusal(), Errc::not_found);
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), Errc::not_found);
}

}  // namespace
}  // namespace lazaret::os
