#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lazaret/result.hpp"

/// The images that Lazaret brings along: what they hold, how they are made, which are there.
namespace lazaret::backend::images {

inline constexpr std::string_view kImageLabel = "dev.lazaret.image";
inline constexpr std::string_view kVersionLabel = "dev.lazaret.version";
inline constexpr std::string_view kPackagesLabel = "dev.lazaret.packages-sha256";

/// Whether an image also carries what only our own tests need.
enum class Contents { plain, with_tests };

/// One image: the files of images/<name>/ in the source tree.
struct Definition {
  std::string name;                        ///< "python"
  std::string dockerfile;
  std::vector<std::string> packages;       ///< Debian's names
  std::vector<std::string> test_packages;  ///< added by Contents::with_tests; often none
  std::string program = {};  ///< no package of Debian's: this machine's own goes in; often none
};

/// All of them: python, bash, node, deno, c, cpp, rust, go, java.
[[nodiscard]] std::vector<Definition> definitions();

/// "lazaret/python:latest", what a create is given on Docker and on Podman.
[[nodiscard]] std::string reference_of(const Definition& definition);
/// "docker.io/lazaret/python", so that Podman does not put localhost/ in front of it.
[[nodiscard]] std::string repository_of(const Definition& definition);

[[nodiscard]] std::vector<std::string> packages_of(const Definition& definition,
                                                   Contents contents);
/// Of the package names, one a line: the same for both ways of building.
[[nodiscard]] std::string packages_sha256(const Definition& definition, Contents contents);

/// What `ARG BASE=` of the Dockerfile says, without the tag: Podman pulls no reference that has tag
/// and digest. "docker.io/library/debian@sha256:…". Errors: protocol when there is none.
[[nodiscard]] Result<std::string> base_of(const Definition& definition);

/// LABEL, ENV, WORKDIR, USER and CMD of the Dockerfile with their arguments put in: what turns a
/// bare file system into the same image.
[[nodiscard]] std::vector<std::string> configuration_of(const Definition& definition,
                                                        Contents contents);

/// Where this machine has a definition's program: in /usr/local/bin or /usr/bin, as boxes have it.
/// Empty where there is none in the definition. Errors: not_found, with a hint.
[[nodiscard]] Result<std::string> program_of(const Definition& definition);

/// The context of a build as a tar: Dockerfile, packages and the program. Errors: those of
/// program_of().
[[nodiscard]] Result<std::string> build_context(const Definition& definition);

}  // namespace lazaret::backend::images
