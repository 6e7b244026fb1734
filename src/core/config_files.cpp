#include "core/config_files.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "core/yaml.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 20;
// Windows has lists instead of bits, and reports every writable file as writable by all.
constexpr bool kHasModeBits = fs::path::preferred_separator == '/';

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_same(const fs::path& a, const fs::path& b) {
  return !a.empty() && !b.empty() && a.lexically_normal() == b.lexically_normal();
}

/// A FIFO would hold us for ever, a device may have no end.
Status check_kind(const fs::path& path, policy::Origin origin) {
  std::error_code failure;
  const auto status = fs::status(path, failure);
  if (failure) {
    return Error(Errc::system, "cannot examine " + path.string()).with_os_error(failure.value());
  }
  if (!fs::is_regular_file(status)) {
    return Error(Errc::invalid_argument, path.string() + " is not a regular file");
  }
  const auto foreign = status.permissions() & (fs::perms::group_write | fs::perms::others_write);
  if (kHasModeBits && origin != policy::Origin::project_file && foreign != fs::perms::none) {
    return Error(Errc::permission_denied,
                 path.string() + " can be written by others than its owner, so it is not believed")
        .with_hint("chmod go-w " + path.string());
  }
  return {};
}

Result<ConfigText> read_file(const fs::path& path, policy::Origin origin) {
  LAZARET_CHECK(check_kind(path, origin));
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (stream.fail() && !stream.eof())) {
    return Error(Errc::system, "cannot read " + path.string());
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMostBytes) {
    return Error(Errc::too_large, path.string() + " is larger than 1 MiB");
  }
  return ConfigText{origin, path.string(), std::move(text)};
}

std::optional<fs::path> user_file(const ConfigPlaces& places) {
  if (!places.user_base.empty()) return places.user_base / "lazaret" / "config.yaml";
  if (places.home.empty()) return std::nullopt;
  return places.home / ".config" / "lazaret" / "config.yaml";
}

Result<policy::Config> merge_texts(const SandboxOptions& options,
                                   const policy::EnvironmentLookup& environment,
                                   const std::vector<ConfigText>& texts) {
  std::vector<nlohmann::json> trees;
  trees.reserve(texts.size());  // the layers borrow the elements
  policy::Layers layers{.flags = options, .environment = environment, .files = {}};
  for (const auto& text : texts) {
    LAZARET_TRY(auto tree, parse_yaml(text.text, text.name));
    trees.push_back(std::move(tree));
    layers.files.push_back({text.origin, text.name, trees.back()});
  }
  return policy::merge(layers);
}

}  // namespace

std::optional<fs::path> project_file(const ConfigPlaces& places) {
  constexpr auto kName = ".lazaret.yaml";
  std::optional<fs::path> nearest;
  for (fs::path folder = places.working; !folder.empty(); folder = folder.parent_path()) {
    if (!nearest && is_there(folder / kName)) nearest = folder / kName;
    if (is_same(folder, places.home) || is_there(folder / ".git")) return nearest;
    if (folder == folder.parent_path()) break;
  }
  const auto here = places.working / kName;
  return is_there(here) ? std::optional(here) : std::nullopt;
}

Result<std::vector<ConfigText>> read_config_files(const ConfigPlaces& places) {
  const std::pair<policy::Origin, std::optional<fs::path>> candidates[] = {
      {policy::Origin::system_file, places.system},
      {policy::Origin::user_file, user_file(places)},
      {policy::Origin::project_file, project_file(places)},
  };
  std::vector<ConfigText> texts;
  for (const auto& [origin, path] : candidates) {
    if (!path || path->empty() || !is_there(*path)) continue;
    LAZARET_TRY(auto text, read_file(*path, origin));
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<policy::Config> load_config(const SandboxOptions& options,
                                   const policy::EnvironmentLookup& environment,
                                   const ConfigPlaces& places) {
  if (!options.config_file) {
    LAZARET_TRY(const auto texts, read_config_files(places).within("reading configuration"));
    return merge_texts(options, environment, texts);
  }
  const fs::path path = *options.config_file;
  if (!is_there(path)) return Error(Errc::not_found, "there is no file " + path.string());
  LAZARET_TRY(auto text, read_file(path, policy::Origin::user_file));
  return merge_texts(options, environment, {std::move(text)});
}

}  // namespace lazaret::core
