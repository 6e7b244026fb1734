#include "core/packages.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/sha256.hpp"
#include "base/try.hpp"
#include "core/cause.hpp"
#include "core/inputs.hpp"
#include "core/package_fetch.hpp"
#include "core/turns.hpp"
#include "policy/packages.hpp"

namespace lazaret::embedded {
extern const std::string_view packages_python;      // core/packages/python.py
extern const std::string_view packages_javascript;  // and javascript.js
}  // namespace lazaret::embedded

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kAgeOfLock{24};

std::string file_of(const std::string& path) { return fs::path(path).filename().string(); }

bool is_file(const PackageWish& wish, const std::string& word) {
  return policy::is_package_file(word, wish.language);
}

// Of those that are files; what says only which goes where has no name.
Result<std::vector<Package>> packages_of(const PackageWish& wish) {
  std::vector<Package> packages;
  for (const std::string& path : wish.request.packages) {
    if (!is_file(wish, path)) continue;
    policy::PackageName named;
    if (!is_lock(path)) {
      LAZARET_TRY(named, policy::package_named(path, wish.language));
    }
    LAZARET_TRY(std::string digest, digest_of_file(path, wish));
    packages.push_back({file_of(path), std::move(named.name), std::move(named.version),
                        std::move(digest)});
  }
  std::ranges::sort(packages, {}, &Package::file);
  return packages;
}

// Names of files hold no line break.
std::string text_of_all(const PackageWish& wish, const std::vector<Package>& packages) {
  std::string text = wish.interpreter;
  for (const Package& package : packages) text += package.sha256 + " " + package.file + "\n";
  return text;
}

std::string name_of_layer(const PackageWish& wish, const std::vector<Package>& packages) {
  return to_hex(sha256(bytes_of(text_of_all(wish, packages))));
}

// WHY copies: what has been digested is what is installed, whoever exchanges the files meanwhile.
Result<std::vector<Input>> copies_of(const PackageWish& wish, const std::vector<Package>& packages,
                                     const fs::path& folder) {
  std::vector<Input> inputs;
  for (const std::string& path : wish.request.packages) {
    const std::string file = file_of(path);
    LAZARET_TRY(const std::string digest, copy_file(path, folder / file, wish));
    const auto known = std::ranges::find(packages, file, &Package::file);
    if (known == packages.end() || known->sha256 != digest)
      return Error(Errc::start_failed, path + " has changed while it was read");
    inputs.push_back({"packages/" + file, {}, (folder / file).string()});
  }
  return inputs;
}

void tell(const PackageWish& wish, const std::string& what) {
  if (wish.request.on_progress) wish.request.on_progress(what);
}

Status make_layer(const PackageWish& wish, const std::vector<Package>& packages,
                  const PackageStore& store, const Installer& install) {
  const PackageProgram program{embedded::packages_python, embedded::packages_javascript};
  LAZARET_TRY(const Staging staging, Staging::in(store));
  LAZARET_TRY(std::vector<Input> inputs, copies_of(wish, packages, staging.files()));
  tell(wish, "installing packages");
  const ExecutionResult result =
      install(request_for_packages(wish, program, std::move(inputs), staging.layer()),
              policy::Streams::kept);
  if (!result.success()) return no_packages(result, "installed");
  Status kept = staging.keep(name_of_layer(wish, packages), size_said(result));
  if (kept.ok() || result.meta.warnings.empty()) return kept;
  return Error(kept.error()).with_hint(result.meta.warnings.front());
}

std::vector<Package> named_ones_of(std::vector<Package> packages) {
  std::erase_if(packages, [](const Package& package) { return package.name.empty(); });
  return packages;
}

// Many that want the same at once are served by the first, as long as they are of this process.
Result<Turns::Held> turn_for(const std::string& name, const PackageWish& wish) {
  static Turns turns;
  auto held = turns.hold(name, wish.request.stop);
  if (!held) return Error(Errc::cancelled, "cancelled while another installed the same packages");
  return *std::move(held);
}

Result<PackageLayer> layer_of_files(const PackageWish& wish, const PackageStore& store,
                                    const Installer& install) {
  LAZARET_TRY(std::vector<Package> packages, packages_of(wish));
  const std::string name = name_of_layer(wish, packages);
  LAZARET_TRY(auto layer, whole_layer(store.folder, name));
  if (!layer) {
    LAZARET_TRY(const Turns::Held turn, turn_for((store.folder / name).string(), wish));
    LAZARET_TRY(layer, whole_layer(store.folder, name));
    if (layer) return PackageLayer{std::move(*layer), named_ones_of(std::move(packages))};
    LAZARET_CHECK(make_layer(wish, packages, store, install));
    LAZARET_TRY(layer, whole_layer(store.folder, name));
  }
  if (!layer)
    return Error(Errc::system, "the packages were taken away from " + store.folder.string());
  return PackageLayer{std::move(*layer), named_ones_of(std::move(packages))};
}

// What was asked for, and of whom.
Result<std::string> name_of_lock(const PackageWish& wish) {
  LAZARET_TRY(const std::vector<Package> given, packages_of(wish));
  std::vector<std::string> words = wish.request.packages;
  std::erase_if(words, [&wish](const std::string& word) { return is_file(wish, word); });
  std::ranges::sort(words);
  std::string text = text_of_all(wish, given) + wish.index.url + "\n";
  for (const std::string& word : words) text += word + "\n";
  return "lock-" + to_hex(sha256(bytes_of(text)));
}

bool is_exact(const PackageWish& wish) {
  return std::ranges::all_of(wish.request.packages, [&wish](const std::string& word) {
    return is_file(wish, word) || policy::is_exact(word, wish.language);
  });
}

std::string lock_of(const PackageLayer& layer) {
  auto packages = nlohmann::json::array();
  for (const Package& package : layer.packages)
    packages.push_back({package.file, package.name, package.version, package.sha256});
  const std::string name = layer.directory.parent_path().filename().string();
  return nlohmann::json{{"layer", name}, {"packages", std::move(packages)}}.dump();
}

// The store is the caller's alone; what does not read as it was written is as if it were not there.
std::optional<PackageLayer> layer_locked_by(const std::string& text, const fs::path& store) try {
  const auto lock = nlohmann::json::parse(text);
  const auto layer = whole_layer(store, lock.at("layer").get<std::string>());
  if (!layer.ok() || !*layer) return std::nullopt;
  PackageLayer found{**layer, {}};
  for (const auto& row : lock.at("packages"))
    found.packages.push_back({row.at(0), row.at(1), row.at(2), row.at(3)});
  return found;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

std::optional<PackageLayer> locked_layer(const fs::path& store, const std::string& name,
                                         std::optional<std::chrono::hours> age) {
  const auto text = lock_in(store, name, age);
  return text ? layer_locked_by(*text, store) : std::nullopt;
}

Result<PackageLayer> layer_of_wanted(const PackageWish& wish, const PackageStore& store,
                                     const Installer& install) {
  LAZARET_TRY(const std::string name, name_of_lock(wish));
  const auto age = is_exact(wish) ? std::nullopt : std::optional(kAgeOfLock);
  if (auto layer = locked_layer(store.folder, name, age)) return std::move(*layer);
  LAZARET_TRY(const Turns::Held turn, turn_for((store.folder / name).string(), wish));
  if (auto layer = locked_layer(store.folder, name, age)) return std::move(*layer);
  LAZARET_TRY(const Staging staging, Staging::in(store));
  ExecutionRequest fetched = wish.request;
  tell(wish, "fetching packages");
  LAZARET_TRY(fetched.packages, fetch_packages(wish, staging.layer(), install));
  const PackageWish of_files{fetched, wish.language, wish.maxima, wish.index, wish.hosts,
                             wish.interpreter};
  LAZARET_TRY(PackageLayer layer, layer_of_files(of_files, store, install));
  LAZARET_CHECK(staging.keep_lock(name, lock_of(layer)));
  return layer;
}

}  // namespace

Status look_for_packages(const ExecutionRequest& request, std::string_view language) {
  for (const std::string& word : request.packages) {
    if (!policy::is_package_file(word, language)) continue;
    LAZARET_CHECK(look_for({{{}, {}, word}}));
    std::error_code ignored;
    if (!fs::is_regular_file(word, ignored))
      return Error(Errc::invalid_argument, word + " is no file");
  }
  return {};
}

// Trouble with the store is no fault of the request's.
Result<PackageLayer> layer_of(const PackageWish& wish, const PackageStore& store,
                              const Installer& install) {
  const auto folder = open_store(store.folder);
  if (!folder.ok()) return as_ours(folder.error());
  const PackageStore place{*folder, store.state};
  const bool has_all = std::ranges::all_of(
      wish.request.packages, [&wish](const std::string& word) { return is_file(wish, word); });
  return has_all ? layer_of_files(wish, place, install) : layer_of_wanted(wish, place, install);
}

}  // namespace lazaret::core
