#!/usr/bin/env bash
# Private engines for the tests: a Docker and a Podman that share nothing with the machine's own,
# and a registry on the loopback that both may pull from when it is started before them.
#
#   engines.sh start DIR [registry|docker|podman]…
#                                           prints a line for each that answers: NAME=unix://SOCKET,
#                                           registry=ADDRESS:PORT
#   engines.sh restart DIR docker|podman    ends it as a service manager would, and starts it again
#   engines.sh stop DIR                     ends them and all they made; fails if anything is left
#
# DIR is made when it is not there, must be short (a socket path has 107 bytes), and is removed by
# stop. What the engines keep elsewhere whatever they are told lies in DIR as well where the mounts
# are the caller's own (own_mounts of common.sh): by hand in the shell of `unshare --mount`, with
# LAZARET_OUTER_MOUNTS=$(readlink /proc/1/ns/mnt).
set -euo pipefail

# Docker's plugins, the sockets of containerd's shims, and what Podman knows of the layers and the
# short names of images: no engine has an option for these.
readonly COVERED=(/run/containerd /run/docker /var/lib/containers/cache /var/cache/containers)

note() { printf 'engines: %s\n' "$*" >&2; }
fail() {
  note "$*"
  exit 1
}

# Runs a program in a session of its own, so that Ctrl-C ends the tests and not the engines.
spawn() {
  local pid_file=$1 log=$2
  shift 2
  # In the bed's own directory: conmon leaves a file named "oom" where the engine was started.
  setsid env -C "$dir" "$@" </dev/null >"$log" 2>&1 &
  echo $! >"$pid_file"
}

# wait_for LOG PID_FILE COMMAND…: until the command succeeds, the process dies or 30 s have passed.
wait_for() {
  local log=$1 pid_file=$2 attempt
  shift 2
  for ((attempt = 0; attempt < 300; attempt++)); do
    "$@" >/dev/null 2>&1 && return 0
    [[ -d /proc/$(<"$pid_file") ]] || break
    sleep 0.1
  done
  tail -n 20 "$log" >&2
  return 1
}

# Whether only this run sees what is mounted here, the tests and their engines alike.
has_own_mounts() {
  [[ -n ${LAZARET_OUTER_MOUNTS:-} && $(readlink /proc/self/ns/mnt) != "$LAZARET_OUTER_MOUNTS" ]]
}

cover_places() {
  local place
  has_own_mounts || return 0
  for place in "${COVERED[@]}"; do
    mkdir -p "$place" "$dir/places$place"
    mount --bind "$dir/places$place" "$place"
  done
}

uncover_places() {
  local place
  for place in "${COVERED[@]}"; do
    while [[ $place -ef $dir/places$place ]]; do
      umount "$place" 2>/dev/null || umount -l "$place" || break
    done
  done
}

docker_cli() { DOCKER_CONFIG=$dir/docker/config docker -H "unix://$dir/docker.sock" "$@"; }
podman_cli() { podman --url "unix://$dir/podman.sock" "$@"; }

# What it says of itself tells which port the kernel has given it.
registry_address() { grep -oE 'listening on 127\.0\.0\.1:[0-9]+' "$1" | cut -d ' ' -f 3; }

start_registry() {
  local state=$dir/registry
  command -v docker-registry >/dev/null || {
    note "the registry is not installed (package docker-registry)"
    return 1
  }
  cat >"$state/config.yml" <<END
version: 0.1
storage:
  filesystem: {rootdirectory: $state/data}
http: {addr: 127.0.0.1:0}
END
  spawn "$state/registry.pid" "$state/registry.log" docker-registry serve "$state/config.yml"
  wait_for "$state/registry.log" "$state/registry.pid" registry_address "$state/registry.log" ||
    return 1
  registry_address "$state/registry.log" >"$state/address"
  echo "registry=$(<"$state/address")"
}

# Docker takes every registry on the loopback without TLS, Podman those that it is told.
write_registries() {
  [[ -f $dir/registry/address ]] || return 0
  printf '[[registry]]\nlocation = "%s"\ninsecure = true\n' "$(<"$dir/registry/address")"
}

# A containerd of our own: dockerd would otherwise use the machine's when it finds one.
start_containerd() {
  local state=$dir/docker
  cat >"$state/containerd.toml" <<END
version = 2
root = "$state/containerd"
state = "$state/containerd-state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt"]
[grpc]
  address = "$state/containerd.sock"
[ttrpc]
  address = "$state/containerd.sock.ttrpc"
END
  spawn "$state/containerd.pid" "$state/containerd.log" containerd -c "$state/containerd.toml"
  wait_for "$state/containerd.log" "$state/containerd.pid" test -S "$state/containerd.sock"
}

start_docker() {
  local state=$dir/docker
  command -v dockerd >/dev/null || fail "dockerd is not installed (package docker.io)"
  mkdir -p "$state/config"
  start_containerd || return 1
  write_daemon_json
  start_dockerd || return 1
  echo "docker=unix://$dir/docker.sock"
}

# The key by which it names itself would be made in /etc/docker. Newer ones make none and may not
# know the word.
write_daemon_json() {
  local file=$dir/docker/daemon.json
  echo "{\"deprecated-key-path\": \"$dir/docker/key.json\"}" >"$file"
  if dockerd --help | grep -q -e --validate; then
    dockerd --validate --config-file "$file" >/dev/null 2>&1 || echo '{}' >"$file"
  fi
}

start_dockerd() {
  local state=$dir/docker
  spawn "$state/dockerd.pid" "$state/dockerd.log" dockerd --config-file "$state/daemon.json" \
    -H "unix://$dir/docker.sock" --containerd "$state/containerd.sock" \
    --data-root "$state/data" --exec-root "$state/exec" --pidfile "$state/own.pid" \
    --iptables=false --ip6tables=false --bridge=none --cgroup-parent "/${dir##*/}"
  wait_for "$state/dockerd.log" "$state/dockerd.pid" docker_cli version
}

# runc with a root of this bed's instead of /run/runc. A program, because the podman that tidies up
# at a container's end is told of its runtime, but of no flags for it (--runtime-flag).
write_runtime() {
  local runtime=$dir/podman/bin/runc runc
  runc=$(command -v runc) || fail "runc is not installed"
  mkdir -p "${runtime%/*}"
  printf '#!/bin/sh\nexec %q --root %q "$@"\n' "$runc" "$dir/podman/runc" >"$runtime"
  chmod 0755 "$runtime"
}

# File locks, because the shared-memory ones are one set for all Podmans of a machine.
start_podman() {
  local state=$dir/podman
  command -v podman >/dev/null || fail "podman is not installed (packages podman and runc)"
  mkdir -p "$state/tmp" "$state/networks"
  write_runtime
  cat >"$state/containers.conf" <<END
[engine]
lock_type = "file"
events_logger = "file"
no_pivot_root = false
[engine.runtimes]
runc = ["$state/bin/runc"]
[containers]
log_driver = "k8s-file"
[network]
network_config_dir = "$state/networks"
END
  write_registries >"$state/registries.conf"
  CONTAINERS_REGISTRIES_CONF=$state/registries.conf \
    CONTAINERS_CONF=$state/containers.conf TMPDIR=$state/tmp PODMAN_IGNORE_CGROUPSV1_WARNING=1 \
    spawn "$state/podman.pid" "$state/podman.log" podman --root "$state/root" \
    --runroot "$state/run" --tmpdir "$state/libpod" --runtime runc --cgroup-manager cgroupfs \
    system service --time=0 "unix://$dir/podman.sock"
  wait_for "$state/podman.log" "$state/podman.pid" podman_cli version || return 1
  echo "podman=unix://$dir/podman.sock"
}

# Paths outside DIR that the engines may leave behind; those that start did not see are stop's to
# remove or to tell of.
outside_paths() {
  {
    find /sys/fs/cgroup -maxdepth 3 -type d -path '*/libpod_parent*' || true
    find /run/{netns,runc,containers,libpod} "${COVERED[@]}" -xdev -maxdepth 3 || true
    find /etc/docker /var/{lib,cache}/containers -maxdepth 1 || true
  } 2>/dev/null | sort -u
}

start() {
  local engine status=0
  mkdir -p "$dir"
  outside_paths >"$dir/outside"
  cover_places
  for engine in "$@"; do
    mkdir -p "$dir/$engine"
    "start_$engine" || {
      note "$engine did not come up; its last words are above"
      status=1
    }
  done
  return "$status"
}

# What the engine has made stays, and so does Docker's containerd. One that was killed has left its
# own file, with a number that may be another's by now.
restart() {
  case $1 in
    docker) end_daemon "$dir/docker/dockerd.pid" && rm -f "$dir/docker/own.pid" && start_dockerd ;;
    podman) end_daemon "$dir/podman/podman.pid" && start_podman ;;
  esac
}

# This script and all who wait for it: their arguments may name DIR, too.
ancestors() {
  local pid=$BASHPID
  while [[ $pid -gt 1 ]]; do
    echo "$pid"
    pid=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status" 2>/dev/null || echo 0)
  done
}

# A process is of this bed when its arguments name DIR or its root file system lies in DIR.
bed_processes() {
  local entry pid spared
  spared=" $(ancestors | tr '\n' ' ')"
  for entry in /proc/[0-9]*; do
    pid=${entry#/proc/}
    [[ $spared != *" $pid "* ]] || continue
    if tr '\0' '\n' 2>/dev/null <"$entry/cmdline" | grep -qF -- "$dir/" ||
      awk '$5 == "/"' "$entry/mountinfo" 2>/dev/null | grep -qF -- "$dir/"; then
      echo "$pid"
    fi
  done
}

bed_mounts() { awk -v dir="$dir/" 'index($5, dir) == 1 {print $5}' /proc/self/mountinfo | sort -r; }

# gone SECONDS PID…: whether all of them have ended in time.
gone() {
  local -i left=$(($1 * 10))
  local pid
  shift
  for pid in "$@"; do
    while [[ -d /proc/$pid ]] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do
      ((left-- > 0)) || return 1
      sleep 0.1
    done
  done
}

end_daemon() {
  local pid
  [[ -f $1 ]] || return 0
  pid=$(<"$1")
  grep -qF -- "$dir" "/proc/$pid/cmdline" 2>/dev/null || return 0
  kill -TERM "$pid" 2>/dev/null || return 0
  gone 15 "$pid" || kill -KILL "$pid" 2>/dev/null || true
}

# Containers go first, while their engine can still undo mounts, cgroups and names.
remove_containers() {
  local -a ids
  if [[ -S $dir/docker.sock ]]; then
    mapfile -t ids < <(timeout 20 docker -H "unix://$dir/docker.sock" ps -aq 2>/dev/null)
    [[ ${#ids[@]} -eq 0 ]] || docker_cli rm -fv "${ids[@]}" >/dev/null 2>&1 || true
  fi
  [[ ! -S $dir/podman.sock ]] ||
    timeout 60 podman --url "unix://$dir/podman.sock" rm -af -t 0 >/dev/null 2>&1 || true
}

kill_the_rest() {
  local -a pids
  mapfile -t pids < <(bed_processes)
  [[ ${#pids[@]} -gt 0 ]] || return 0
  kill -KILL "${pids[@]}" 2>/dev/null || true
  gone 5 "${pids[@]}" || true
}

remove_mounts() {
  local target
  bed_mounts | while read -r target; do
    umount "$target" 2>/dev/null || umount -l "$target" || true
  done
}

# What killed engines could not take back themselves: the shims' sockets.
forget_crashed() {
  local path address
  for path in "$dir"/docker/containerd-state/io.containerd.runtime.v2.task/moby/*/address; do
    [[ -f $path ]] || continue
    address=$(<"$path")
    rm -f "${address#unix://}"
  done
}

# Only cgroups below the parent that this bed's engine was given, which bears the bed's whole name.
bed_cgroups() {
  local base=${dir##*/}
  find /sys/fs/cgroup -depth -type d \( -path "*/$base" -o -path "*/$base/*" \) 2>/dev/null
}

new_outside() { [[ ! -f $dir/outside ]] || outside_paths | comm -13 "$dir/outside" -; }

# Asked when every process of this bed has ended. New paths may be somebody else's, then.
others_have_engines() {
  grep -qsxE 'dockerd|containerd|containerd-shim|podman|conmon' /proc/[0-9]*/comm
}

# Only what was not there before, and of that what is empty or what Podman makes anew at any time.
remove_outside() {
  local path
  bed_cgroups | xargs -r rmdir 2>/dev/null || true
  others_have_engines || new_outside | sort -r | while read -r path; do
    case $path in
      */cache/blob-info-cache-* | */cache/containers/short-name-aliases.conf*) rm -f "$path" ;;
      *) rmdir "$path" 2>/dev/null || true ;;
    esac
  done
}

# Beside somebody else's engines only what names this bed.
outside_leftovers() {
  local path others=""
  ! others_have_engines || others=yes
  new_outside | while read -r path; do
    if [[ -z $others ]] || grep -qsF -d skip -D skip -- "$dir/" "$path"; then
      echo "outside: $path"
    fi
  done
}

# report_leftovers OUTSIDE: fails if there are any.
report_leftovers() {
  local found=0 what
  while read -r what; do
    note "left over: $what"
    found=1
  done < <(
    [[ -z $1 ]] || echo "$1"
    bed_processes | while read -r pid; do
      echo "process $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    done
    bed_mounts | sed 's/^/mount /'
    bed_cgroups | sed 's/^/cgroup /'
    [[ ! -e $dir ]] || echo "directory $dir"
  )
  return "$found"
}

stop() {
  local outside
  [[ -d $dir ]] || return 0
  remove_containers
  end_daemon "$dir/docker/dockerd.pid"
  end_daemon "$dir/docker/containerd.pid"
  end_daemon "$dir/podman/podman.pid"
  end_daemon "$dir/registry/registry.pid"
  kill_the_rest
  remove_mounts
  forget_crashed
  uncover_places
  remove_outside
  outside=$(outside_leftovers)
  rm -rf --one-file-system "$dir" || true
  report_leftovers "$outside"
}

main() {
  local action=${1:-}
  dir=${2:-}
  [[ $action =~ ^(start|restart|stop)$ ]] ||
    fail "usage: engines.sh start|restart|stop DIR [ENGINE…]"
  [[ $dir == /?* && ${#dir} -le 80 ]] || fail "DIR must be an absolute path of at most 80 bytes"
  dir=${dir%/}
  [[ $(id -u) -eq 0 ]] || fail "the engines need root"
  shift 2
  [[ $# -gt 0 ]] || set -- docker podman
  "$action" "$@"
}

main "$@"
