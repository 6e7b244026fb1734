#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/package_store.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"
#include "policy/config.hpp"
#include "policy/spec.hpp"

/// The boxes in which packages are fetched and installed.
namespace lazaret::core {

/// What is asked for its packages, as the caller's environment has it.
struct PackageIndex {
  std::string url;       ///< http or https; empty: what the installer asks by itself
  std::string variable;  ///< that would name another
  /// Certificates that are believed; empty: the installer's own.
  std::filesystem::path authorities;
};

/// Whose packages they are. Borrows.
struct PackageWish {
  const ExecutionRequest& request;
  std::string_view language;  ///< of the driver: "python" or "javascript"
  const Limits& maxima;
  const PackageIndex& index;
  const std::set<std::string>& hosts;  ///< as policy::Config has them
  const std::string& interpreter;      ///< as backend::Backend tells it
};

/// Runs a program of ours for packages, as any other.
using Installer =
    std::function<ExecutionResult(const ExecutionRequest& request, policy::Streams streams)>;

/// A program of ours, in a wish's language.
struct PackageProgram {
  std::string_view python;  ///< behind core/packages/pip.py
  std::string_view javascript;
};

/// The request for such a program, whose /work/out goes to `into`. It has what the maxima allow,
/// but no more than 1 GiB and five minutes.
[[nodiscard]] ExecutionRequest request_for_packages(const PackageWish& wish,
                                                    const PackageProgram& program,
                                                    std::vector<Input> inputs,
                                                    const std::filesystem::path& into);

/// Why there are none after it, `doing` being "fetched" or "installed".
[[nodiscard]] Error no_packages(const ExecutionResult& result, std::string_view doing);

/// How much there is, as the program says: that it has come is not left to it.
[[nodiscard]] TreeSize size_said(const ExecutionResult& result);

/// Of a file's content, in hexadecimal. Errors: those of opening and reading it, too_large for what
/// no package's file may be, cancelled.
[[nodiscard]] Result<std::string> digest_of_file(const std::filesystem::path& path,
                                                 const PackageWish& wish);
/// The same, of what has gone into a copy.
[[nodiscard]] Result<std::string> copy_file(const std::filesystem::path& path,
                                            const std::filesystem::path& copy,
                                            const PackageWish& wish);

}  // namespace lazaret::core
