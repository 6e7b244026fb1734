#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/bytes.hpp"
#include "base/wire.hpp"
#include "engine/client.hpp"
#include "engine/endpoint.hpp"
#include "policy/spec.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"

namespace lazaret::backend::docker::test {

using engine::Kind;
using nlohmann::json;

/// An engine in memory that makes one container and shows of it what it was told to make, but for
/// what `weaken` does to the body on the way; its runner reports a box that holds everything.
struct FakeDaemon {
  Kind kind = Kind::docker;
  std::function<void(json& body)> weaken = [](json&) {};  ///< before it is obeyed
  std::function<void(json& seen)> tamper = [](json&) {};  ///< what inspect then shows
  std::vector<std::string> warnings;
  int create_status = 201;
  bool lose_create = false;   ///< makes the container and hangs up
  bool lose_helper = false;   ///< so for the one that fills the runner's volume
  bool runner_ready = true;   ///< the volume is filled already
  bool runner_leaves = true;  ///< when its wire is closed; else it stays until it is killed
  bool is_away = false;       ///< nobody answers any more
  int kills_lost = 0;         ///< so many calls to kill are hung up on
  std::string report;
  std::string image_volume;     ///< a path that the image declares as a volume
  std::string image_id = "aa";  ///< what the image's name means; none has it when empty

  json sent;                          ///< the create body of the run's container
  json made;                          ///< as obeyed
  std::string devices = "/dev";       ///< what stands there in the image; empty: nothing
  std::vector<std::string> requests;  ///< "POST /containers/create", without version and query;
                                      ///< "CLOSE" when the runner's wire is closed
  std::string job;                    ///< bytes that went to the runner

  [[nodiscard]] bool was_asked(const std::string& start) const {
    return std::any_of(requests.begin(), requests.end(),
                       [&start](const std::string& line) { return line.rfind(start, 0) == 0; });
  }
};

/// What every engine shows of a container that has been made and not started.
[[nodiscard]] inline json shown(json config, json host, json mounts) {
  return {{"Id", "c0ffee"},
          {"State", {{"Status", "created"}, {"Running", false}, {"Pid", 0}}},
          {"Config", std::move(config)},
          {"HostConfig", std::move(host)},
          {"Mounts", std::move(mounts)},
          {"NetworkSettings", {{"IPAddress", ""}, {"Networks", json::object()}}}};
}

/// What Docker shows of a container made from this body.
[[nodiscard]] inline json inspected_docker(const json& made) {
  json config = made;
  json host = config.contains("HostConfig") ? config["HostConfig"] : json::object();
  config.erase("HostConfig");
  json mounts = json::array();
  for (const json& mount : host.value("Mounts", json::array())) {
    mounts.push_back({{"Type", mount.value("Type", "volume")},
                      {"Name", mount.value("Source", "")},
                      {"Destination", mount.value("Target", "")},
                      {"RW", !mount.value("ReadOnly", false)}});
  }
  return shown(config, host, mounts);
}

/// The value at a JSON pointer, or what stands for nothing.
[[nodiscard]] inline json value_at(const json& object, const char* pointer, json otherwise) {
  return object.value(json::json_pointer(pointer), std::move(otherwise));
}

/// Limits in Podman's spelling; one that it was not given it makes up.
[[nodiscard]] inline json podman_limits(const json& made) {
  json limits = json::array();
  for (const json& limit : made.value("r_limits", json::array())) {
    std::string name = limit.value("type", "");
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    limits.push_back({{"Name", "RLIMIT_" + name},
                      {"Soft", limit.value("soft", 1 << 20)},
                      {"Hard", limit.value("hard", 1 << 20)}});
  }
  return limits;
}

[[nodiscard]] inline json podman_volumes(const json& made) {
  json mounts = json::array();
  for (const json& volume : made.value("volumes", json::array())) {
    mounts.push_back({{"Type", "volume"},
                      {"Name", volume.value("Name", "9f")},
                      {"Destination", volume.value("Dest", "")},
                      {"RW", value_at(volume, "/Options/0", "rw") != "ro"}});
  }
  if (made.value("image_volume_mode", "anonymous") == "anonymous") {
    mounts.push_back({{"Type", "volume"}, {"Name", "9f"}, {"Destination", "/data"}, {"RW", true}});
  }
  return mounts;
}

[[nodiscard]] inline json podman_host(const json& made) {
  const auto mode = [&made](const char* name, const char* otherwise) {
    return value_at(made, (std::string("/") + name + "/nsmode").c_str(), otherwise);
  };
  const json ipc = mode("ipcns", "private");
  json options = json::array();
  if (made.value("no_new_privileges", false)) options.push_back("no-new-privileges");
  if (made.value("seccomp_profile_path", "") == "unconfined") {
    options.push_back("seccomp=unconfined");
  }
  json dropped = json::array();
  if (!made.value("cap_drop", json::array()).empty()) {
    dropped = {"CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "NET_BIND_SERVICE",
               "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};
  }
  json binds = json::array();
  for (const json& mount : podman_volumes(made)) binds.push_back(mount["Destination"]);
  json tmpfs = json::object();
  if (made.value("read_write_tmpfs", true)) tmpfs["/run"] = "rw,rprivate,nosuid,nodev";
  return {{"NetworkMode", mode("netns", "bridge")},
          {"IpcMode", ipc == "private" ? json("shareable") : ipc},
          {"PidMode", mode("pidns", "private")},
          {"UTSMode", mode("utsns", "private")},
          {"CgroupMode", mode("cgroupns", "host")},
          {"UsernsMode", mode("userns", "")},
          {"ReadonlyRootfs", made.value("read_only_filesystem", false)},
          {"Privileged", made.value("privileged", false)},
          {"CapAdd", made.value("cap_add", json::array())},
          {"CapDrop", dropped},
          {"GroupAdd", made.value("groups", json::array())},
          {"SecurityOpt", options},
          {"Memory", value_at(made, "/resource_limits/memory/limit", 0)},
          {"MemorySwap", value_at(made, "/resource_limits/memory/swap", 0)},
          {"OomKillDisable", value_at(made, "/resource_limits/memory/disableOOMKiller", false)},
          {"CpuQuota", value_at(made, "/resource_limits/cpu/quota", 0)},
          {"CpuPeriod", value_at(made, "/resource_limits/cpu/period", 0)},
          {"PidsLimit", value_at(made, "/resource_limits/pids/limit", 2048)},
          {"CgroupParent", made.value("cgroup_parent", "")},
          {"Ulimits", podman_limits(made)},
          {"ShmSize", made.value("shm_size", 65536000)},
          {"Binds", binds},
          {"Tmpfs", tmpfs},
          {"Devices", made.value("devices", json::array())},
          {"VolumesFrom", made.value("volumes_from", json::array())},
          {"PortBindings", made.value("portmappings", json::object())},
          {"LogConfig", {{"Type", value_at(made, "/log_configuration/driver", "journald")}}},
          {"AutoRemove", made.value("remove", false)},
          {"RestartPolicy", {{"Name", made.value("restart_policy", "no")}}}};
}

/// What Podman shows of a container made from this SpecGenerator.
[[nodiscard]] inline json inspected_podman(const json& made) {
  std::string entrypoint;
  for (const json& word : made.value("entrypoint", json::array())) {
    entrypoint += word.get<std::string>();
  }
  const json config = {{"User", made.value("user", "")},
                       {"Hostname", made.value("hostname", "c0ffee")},
                       {"Labels", made.value("labels", json::object())},
                       {"Entrypoint", entrypoint},
                       {"Cmd", made.value("command", json::array())},
                       {"Tty", made.value("terminal", false)},
                       {"Healthcheck", made.value("healthconfig", json::object())}};
  return shown(config, podman_host(made), podman_volumes(made));
}

[[nodiscard]] inline json inspected(const FakeDaemon& daemon) {
  if (daemon.kind == Kind::podman) return inspected_podman(daemon.made);
  json seen = inspected_docker(daemon.made);
  const auto is_there = [&daemon](const json& mount) {
    return mount["Destination"] == daemon.image_volume;
  };
  json& mounts = seen["Mounts"];
  if (!daemon.image_volume.empty() && std::none_of(mounts.begin(), mounts.end(), is_there)) {
    mounts.push_back(
        {{"Type", "volume"}, {"Name", "9f"}, {"Destination", daemon.image_volume}, {"RW", true}});
  }
  return seen;
}

/// A report of a box in which every control of the spec holds.
[[nodiscard]] inline std::string good_report(const policy::Spec& spec) {
  const Limits& limits = spec.limits;
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::string text = "pid=1\nhostname=lazaret\nnet=    lo: 0 0\n";
  for (const char* const line :
       {"Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534", "Groups:\t65534",
        "CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1",
        "Seccomp:\t2"}) {
    text += std::string("status=") + line + "\n";
  }
  text += "limit.nofile=" + number(limits.open_files) + " " + number(limits.open_files) + "\n";
  text += "limit.fsize=" + number(limits.file_bytes) + " " + number(limits.file_bytes) + "\n";
  text += "limit.core=0 0\n";
  text += "cgroup.memory=" + number(limits.memory_bytes) + "\ncgroup.swap=0\n";
  text += "cgroup.pids=" + number(limits.pids) + "\ncgroup.cpu=100000 100000\n";
  for (const char* const path : {"/work", "/tmp", "/dev/shm"}) {
    text += std::string("disk.") + path + "=16914836 " + number(limits.disk_bytes) + " " +
            number(limits.disk_files) + "\n";
  }
  text += "mount=1 0 0:1 / / ro,relatime - overlay overlay rw\n";
  text += "mount=2 1 0:2 /sys /proc/sys ro,relatime - proc proc rw\n";
  text += "landlock=7\nprobe.device_file=13\n";
  text += "probe.route=101\nprobe.root_write=30\nprobe.clone3=38\n";
  for (const char* const probe : {"vsock", "alg", "packet", "io_uring", "keyctl", "bpf", "mount",
                                  "user_namespace", "setuid"}) {
    text += std::string("probe.") + probe + "=1\n";
  }
  return text;
}

/// One connection to the fake; every answer is there as soon as the request is.
class FakeDaemonWire final : public Wire {
 public:
  explicit FakeDaemonWire(FakeDaemon& daemon) : daemon_(daemon) {}

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    const std::size_t count = std::min(answer_.size(), into.size());
    std::copy_n(bytes_of(answer_).begin(), count, into.begin());
    answer_.erase(0, count);
    if (count > 0 || !(attached_ || waiting_)) return count;
    if (call.deadline.is_never()) return Error(Errc::protocol, "would wait for ever");
    return Error(Errc::timed_out, "deadline passed");
  }
  Status write(Bytes bytes, const Call&) override {
    if (attached_) {
      daemon_.job += text_of(bytes);
      return {};
    }
    request_ += text_of(bytes);
    if (complete()) respond();
    return {};
  }
  Status close_write() override {
    daemon_.requests.emplace_back("CLOSE");
    return {};
  }

 private:
  [[nodiscard]] bool complete() const {
    const std::size_t head = request_.find("\r\n\r\n");
    if (head == request_.npos) return false;
    if (request_.find("chunked") < head) return request_.ends_with("0\r\n\r\n");
    const std::string_view field = "Content-Length: ";
    const std::size_t at = request_.find(field);
    if (at > head) return true;
    return request_.size() >= head + 4 + std::stoul(request_.substr(at + field.size()));
  }
  void say(int status, const std::string& body, const std::string& headers = {}) {
    answer_ = "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers +
              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  void respond();
  void create(const std::string& target);
  void attach();
  void wait();
  void kill();

  FakeDaemon& daemon_;
  std::string request_;
  std::string answer_;
  bool attached_ = false;
  bool waiting_ = false;
};

inline void FakeDaemonWire::create(const std::string& target) {
  const json body = json::parse(request_.substr(request_.find("\r\n\r\n") + 4));
  const bool helper = target.find("lazaret-fill") != target.npos;
  if (!helper) {
    daemon_.sent = daemon_.made = body;
    daemon_.weaken(daemon_.made);
  }
  if (helper ? daemon_.lose_helper : daemon_.lose_create) return;
  if (daemon_.create_status != 201) return say(daemon_.create_status, R"({"message":"no"})");
  say(201, json{{"Id", "c0ffee"}, {"Warnings", daemon_.warnings}}.dump());
}

inline void FakeDaemonWire::attach() {
  using runner::FrameType;
  const auto frame = [](FrameType type, Bytes payload) {
    const auto bytes = runner::encode_frame(type, payload);
    return std::string(text_of(bytes));
  };
  const auto hello = runner::encode(runner::Hello{runner::kProtocolVersion, 1});
  const std::string said =
      frame(FrameType::hello, hello) + frame(FrameType::report, bytes_of(daemon_.report));
  std::string header(8, '\0');
  header[0] = 1;
  for (std::size_t index = 0; index < 4; ++index) {
    header[4 + index] = static_cast<char>(said.size() >> (24 - 8 * index) & 0xff);
  }
  answer_ = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n" + header + said;
  attached_ = true;
}

// Docker sends the head at once and the body when the container has ended.
inline void FakeDaemonWire::wait() {
  if (daemon_.runner_leaves) return say(200, R"({"StatusCode":0})");
  answer_ = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  waiting_ = true;
}

inline void FakeDaemonWire::kill() {
  if (daemon_.kills_lost-- > 0) return;
  daemon_.runner_leaves = true;
  say(204, "");
}

inline void FakeDaemonWire::respond() {
  const std::string method = request_.substr(0, request_.find(' '));
  std::string target = request_.substr(method.size() + 1);
  target = target.substr(0, target.find(' '));
  if (target.rfind("/v1.41", 0) == 0) target.erase(0, 6);
  if (target.rfind("/v4.0.0", 0) == 0) target.erase(0, 7);
  const std::string path = target.substr(0, target.find('?'));
  daemon_.requests.push_back(method + " " + path);
  const bool podman = daemon_.kind == Kind::podman;
  if (path == "/_ping") {
    return say(
        200, "OK",
        std::string("Api-Version: 1.41\r\nServer: ") +
            (podman ? "Libpod/4.3.1 (linux)\r\nLibpod-Api-Version: 4.3.1\r\n"
                    : "Docker/20.10.24 (linux)\r\nOstype: linux\r\n"));
  }
  if (path == "/volumes/create") return say(201, R"({"Name":"v","Driver":"local"})");
  if (path.ends_with("/containers/create")) return create(target);
  if (path.ends_with("/attach")) return attach();
  if (target.ends_with("/kill?signal=SIGKILL")) return kill();
  if (path.ends_with("/wait")) return wait();
  if (path.ends_with("/archive") && method == "PUT") {
    daemon_.runner_ready = true;
    return say(200, "");
  }
  if (path.ends_with("/archive") && target.find("ready") == target.npos) {
    if (daemon_.devices.empty()) return say(404, "");
    const json found = {{"name", "dev"}, {"size", 0}, {"mode", 0}, {"linkTarget", daemon_.devices}};
    return say(200, "",
               "X-Docker-Container-Path-Stat: " + to_base64(found.dump()) + "\r\n");
  }
  if (path.ends_with("/archive")) {
    if (!daemon_.runner_ready) return say(404, "");
    // {"name":"ready","size":0,"mode":420}
    return say(200, "",
               "X-Docker-Container-Path-Stat: "
               "eyJuYW1lIjoicmVhZHkiLCJzaXplIjowLCJtb2RlIjo0MjB9\r\n");
  }
  if (method == "GET" && path.starts_with("/images/")) {
    if (daemon_.image_id.empty()) return say(404, R"({"message":"No such image"})");
    return say(200, json{{"Id", "sha256:" + daemon_.image_id}}.dump());
  }
  if (method == "GET" && path.ends_with("/json")) {
    json seen = inspected(daemon_);
    seen["Image"] = (podman ? "" : "sha256:") + daemon_.image_id;
    daemon_.tamper(seen);
    return say(200, seen.dump());
  }
  say(204, "");
}

class FakeDaemonDialer final : public engine::Dialer {
 public:
  explicit FakeDaemonDialer(FakeDaemon& daemon) : daemon_(daemon) {}
  Result<std::unique_ptr<Wire>> dial(const Call&) override {
    if (daemon_.is_away) return Error(Errc::connection_refused, "nobody listens");
    return std::unique_ptr<Wire>(std::make_unique<FakeDaemonWire>(daemon_));
  }
  std::string endpoint() const override { return "unix:///fake.sock"; }

 private:
  FakeDaemon& daemon_;
};

}  // namespace lazaret::backend::docker::test
