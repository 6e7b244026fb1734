#include "backend/images/definition.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/try.hpp"
#include "engine/tar.hpp"

namespace lazaret::embedded {
extern const std::string_view image_python_dockerfile;
extern const std::string_view image_python_packages;
extern const std::string_view image_python_packages_test;
extern const std::string_view image_bash_dockerfile;
extern const std::string_view image_bash_packages;
extern const std::string_view image_node_dockerfile;
extern const std::string_view image_node_packages;
extern const std::string_view image_deno_dockerfile;
extern const std::string_view image_deno_packages;
extern const std::string_view image_c_dockerfile;
extern const std::string_view image_c_packages;
extern const std::string_view image_cpp_dockerfile;
extern const std::string_view image_cpp_packages;
extern const std::string_view image_rust_dockerfile;
extern const std::string_view image_rust_packages;
extern const std::string_view image_go_dockerfile;
extern const std::string_view image_go_packages;
extern const std::string_view image_java_dockerfile;
extern const std::string_view image_java_packages;
}  // namespace lazaret::embedded

namespace lazaret::backend::images {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string one_a_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool is_configuration(std::string_view line) {
  constexpr std::array<std::string_view, 5> kWords = {"LABEL ", "ENV ", "WORKDIR ", "USER ",
                                                      "CMD "};
  return std::any_of(kWords.begin(), kWords.end(),
                     [line](std::string_view word) { return begins_with(line, word); });
}

std::string with_argument(std::string line, std::string_view name, std::string_view value) {
  const std::size_t at = line.find(name);
  return at == line.npos ? line : line.replace(at, name.size(), value);
}

// No script, which would need what is not in the image (elf(5)).
bool is_executable_by_itself(const std::string& path) {
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "\177ELF";
}

}  // namespace

std::vector<Definition> definitions() {
  using namespace embedded;
  return {{"python", std::string(image_python_dockerfile), lines_of(image_python_packages),
           lines_of(image_python_packages_test)},
          {"bash", std::string(image_bash_dockerfile), lines_of(image_bash_packages), {}},
          {"node", std::string(image_node_dockerfile), lines_of(image_node_packages), {}},
          {"deno", std::string(image_deno_dockerfile), lines_of(image_deno_packages), {}, "deno"},
          {"c", std::string(image_c_dockerfile), lines_of(image_c_packages), {}},
          {"cpp", std::string(image_cpp_dockerfile), lines_of(image_cpp_packages), {}},
          {"rust", std::string(image_rust_dockerfile), lines_of(image_rust_packages), {}},
          {"go", std::string(image_go_dockerfile), lines_of(image_go_packages), {}},
          {"java", std::string(image_java_dockerfile), lines_of(image_java_packages), {}}};
}

std::string reference_of(const Definition& definition) {
  return "lazaret/" + definition.name + ":latest";
}

std::string repository_of(const Definition& definition) {
  return "docker.io/lazaret/" + definition.name;
}

std::vector<std::string> packages_of(const Definition& definition, Contents contents) {
  std::vector<std::string> packages = definition.packages;
  if (contents == Contents::plain) return packages;
  packages.insert(packages.end(), definition.test_packages.begin(), definition.test_packages.end());
  return packages;
}

std::string packages_sha256(const Definition& definition, Contents contents) {
  return to_hex(sha256(bytes_of(one_a_line(packages_of(definition, contents)))));
}

Result<std::string> base_of(const Definition& definition) {
  constexpr std::string_view kArgument = "ARG BASE=";
  for (const std::string& line : lines_of(definition.dockerfile)) {
    if (!begins_with(line, kArgument)) continue;
    const std::string reference = line.substr(kArgument.size());
    const std::size_t digest = reference.find('@');
    const std::size_t tag = reference.rfind(':', digest);
    if (digest == line.npos || tag == line.npos) break;
    return reference.substr(0, tag) + reference.substr(digest);
  }
  return Error(Errc::protocol, "the Dockerfile of " + definition.name + " names no base by digest");
}

std::vector<std::string> configuration_of(const Definition& definition, Contents contents) {
  std::vector<std::string> instructions;
  for (std::string& line : lines_of(definition.dockerfile)) {
    if (!is_configuration(line)) continue;
    line = with_argument(std::move(line), "${VERSION}", LAZARET_VERSION);
    instructions.push_back(with_argument(std::move(line), "${PACKAGES_SHA256}",
                                         packages_sha256(definition, contents)));
  }
  return instructions;
}

Result<std::string> program_of(const Definition& definition) {
  if (definition.program.empty()) return std::string();
  for (const char* const folder : {"/usr/local/bin/", "/usr/bin/"}) {
    std::string path = folder + definition.program;
    if (is_executable_by_itself(path)) return path;
  }
  return Error(Errc::not_found, "this machine has no " + definition.program)
      .with_hint("the image takes the one of this machine: install it in /usr/local/bin");
}

Result<std::string> build_context(const Definition& definition) {
  std::vector<engine::TarEntry> entries = {
      {.path = "Dockerfile", .content = definition.dockerfile},
      {.path = "packages", .content = one_a_line(definition.packages)}};
  LAZARET_TRY(const std::string program, program_of(definition));
  if (!program.empty())
    entries.push_back({.path = definition.program, .mode = 0755, .content = text_of_file(program)});
  return engine::write_tar(entries);
}

}  // namespace lazaret::backend::images
