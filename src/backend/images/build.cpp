#include "backend/images/build.hpp"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "backend/images/rootfs.hpp"
#include "base/try.hpp"
#include "engine/image_make.hpp"
#include "engine/json.hpp"

namespace lazaret::backend::images {
namespace {

namespace image = engine::image;

// What is made, for whom and how: the same for every step.
struct Job {
  const engine::EngineClient& client;
  const Definition& definition;
  const BuildOptions& options;
  const Call& call;

  void say(std::string status) const {
    if (options.progress) options.progress({.id = definition.name, .status = std::move(status)});
  }
  [[nodiscard]] Built built(std::string id, From from) const {
    return {.name = definition.name,
            .reference = reference_of(definition),
            .id = std::move(id),
            .from = from};
  }
  [[nodiscard]] std::string tag() const { return repository_of(definition) + ":latest"; }
};

Result<std::string> base_for(const Job& job) {
  if (!job.options.base.empty()) return job.options.base;
  return base_of(job.definition);
}

// Nothing is pulled when the base is there.
Status fetch_base(const Job& job, const std::string& base, const Call& call) {
  if (image::inspect(job.client, base, call).ok()) return {};
  job.say("pulling " + base);
  return image::pull(job.client, {.reference = base, .progress = job.options.progress}, call)
      .within("pulling the base of " + job.definition.name);
}

// Build arguments that every Dockerfile knows (Docker's and Buildah's predefined ones).
void add_proxies(const std::vector<std::string>& environment,
                 std::map<std::string, std::string>& arguments) {
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    const std::string name = variable.substr(0, equals);
    const bool proxy = name == "http_proxy" || name == "https_proxy" || name == "no_proxy" ||
                       name == "HTTP_PROXY" || name == "HTTPS_PROXY" || name == "NO_PROXY";
    if (proxy && equals != variable.npos) arguments[name] = variable.substr(equals + 1);
  }
}

std::map<std::string, std::string> arguments_of(const Job& job, const std::string& base) {
  std::string extra;
  if (job.options.contents == Contents::with_tests) {
    for (const std::string& package : job.definition.test_packages) extra += package + ' ';
  }
  std::map<std::string, std::string> arguments = {
      {"BASE", base},
      {"EXTRA_PACKAGES", extra},
      {"VERSION", LAZARET_VERSION},
      {"PACKAGES_SHA256", packages_sha256(job.definition, job.options.contents)}};
  add_proxies(job.options.environment, arguments);
  return arguments;
}

// The network of the machine: an engine may have no bridge, and apt must reach a mirror.
Result<Built> build_on(const Job& job, const std::string& base) {
  LAZARET_TRY(const std::string context, build_context(job.definition));
  job.say("building from the registry's base");
  auto result = image::build(job.client,
                             {.tags = {job.tag()},
                              .arguments = arguments_of(job, base),
                              .network_mode = "host",
                              .progress = job.options.progress},
                             http::source_of(bytes_of(context)), job.call);
  if (result.ok()) return job.built(std::move(result->id), From::registry);
  Error error = std::move(result).error().within("building " + job.definition.name);
  if (!error.hint().empty()) return error;
  return std::move(error).with_hint(
      "the build needs a Debian mirror that the engine can reach; --from packages makes the image "
      "with mmdebstrap on this machine instead");
}

Result<Built> build_from_registry(const Job& job) {
  LAZARET_TRY(const std::string base, base_for(job));
  auto fetched = fetch_base(job, base, job.call);
  if (fetched.ok()) return build_on(job, base);
  return std::move(fetched).error().with_hint(
      "the base is pulled from a registry; without one use --from packages");
}

Result<http::BodySource> fresh_rootfs(const Job& job) {
  LAZARET_TRY(const std::string program, program_of(job.definition));
  job.say("making the files with mmdebstrap");
  const LineSink line = [&job](std::string_view text) { job.say(std::string(text)); };
  return make_rootfs({.packages = packages_of(job.definition, job.options.contents),
                      .program = program,
                      .environment = job.options.environment,
                      .progress = line},
                     job.call);
}

Result<Built> import(const Job& job, const http::BodySource& tar) {
  job.say("importing");
  LAZARET_TRY(auto result,
              image::import_tar(job.client,
                                {.repository = repository_of(job.definition),
                                 .tag = "latest",
                                 .changes = configuration_of(job.definition, job.options.contents),
                                 .message = "lazaret images build"},
                                tar, job.call));
  return job.built(std::move(result.id), From::packages);
}

// Another version of its program has another size.
Result<std::string> name_in_cache(const Job& job) {
  LAZARET_TRY(const std::string program, program_of(job.definition));
  std::error_code ignored;
  if (program.empty()) return job.definition.name;
  return job.definition.name + "-" + std::to_string(std::filesystem::file_size(program, ignored));
}

// The tar is made whole before it is imported, so that no half of one is ever kept.
Result<Built> build_from_cache(const Job& job) {
  LAZARET_TRY(const std::string name, name_in_cache(job));
  const auto path =
      cached_path(job.options.cache_directory, name,
                  packages_sha256(job.definition, job.options.contents), job.options.now);
  std::error_code ignored;
  const bool there = std::filesystem::is_regular_file(path, ignored);
  if (!there) {
    LAZARET_TRY(const auto source, fresh_rootfs(job));
    LAZARET_CHECK(save(source, path));
  }
  LAZARET_TRY(const auto tar, open_saved(path));
  auto built = import(job, tar);
  if (built.ok()) built->from_cache = there;
  return built;
}

Result<Built> build_from_packages(const Job& job) {
  if (!job.options.cache_directory.empty()) return build_from_cache(job);
  LAZARET_TRY(const auto source, fresh_rootfs(job));
  return import(job, source);
}

Result<Built> build_from_either(const Job& job) {
  LAZARET_TRY(const std::string base, base_for(job));
  const auto fetched = fetch_base(job, base, job.call.within(job.options.pull_within));
  if (fetched.ok()) return build_on(job, base);
  LAZARET_CHECK(job.call.check());
  job.say("no registry: " + fetched.error().message());
  return build_from_packages(job);
}

Result<Built> build_as_asked(const Job& job) {
  switch (job.options.from) {
    case From::automatic: return build_from_either(job);
    case From::registry: return build_from_registry(job);
    case From::packages: return build_from_packages(job);
  }
  return Error(Errc::invalid_argument, "no such way to build");
}

std::string id_under(const Job& job, const std::string& name) {
  const auto found = image::inspect(job.client, name, job.call);
  return found.ok() ? engine::text_at(*found, "Id") : std::string();
}

// Another name keeps it; a container that uses it makes the engine refuse, which is as well.
void retire(const Job& job, const std::string& id) {
  const auto found = image::inspect(job.client, id, job.call);
  if (!found.ok() || !engine::texts_at(*found, "RepoTags").empty()) return;
  (void)image::remove(job.client, id, job.call).ok();
}

}  // namespace

std::string_view name_of(From from) noexcept {
  switch (from) {
    case From::automatic: return "automatic";
    case From::registry: return "registry";
    case From::packages: return "packages";
  }
  return "automatic";
}

Result<Built> build(const engine::EngineClient& client, const Definition& definition,
                    const BuildOptions& options, const Call& call) {
  const Job job{client, definition, options, call};
  const std::string before = id_under(job, job.tag());
  LAZARET_TRY(Built built, build_as_asked(job));
  // Podman gives the short form of an id at times; the name says it whole.
  if (std::string id = id_under(job, job.tag()); !id.empty()) built.id = std::move(id);
  if (!before.empty() && before != built.id) retire(job, before);
  return built;
}

}  // namespace lazaret::backend::images
