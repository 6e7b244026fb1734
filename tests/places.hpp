#pragma once

#include <string>

/// Where this checkout and the programs built with the tests lie. Told in one source alone, so that
/// the others compile alike in every directory and a compiler cache knows them again.
namespace lazaret::test {

extern const char* const kCheckout;
extern const char* const kLazaretPath;
extern const char* const kServePath;
extern const char* const kRunnerPath;

/// The path of a file that is named from the top of the checkout.
[[nodiscard]] inline std::string in_checkout(const std::string& name) {
  return std::string(kCheckout) + "/" + name;
}

}  // namespace lazaret::test
