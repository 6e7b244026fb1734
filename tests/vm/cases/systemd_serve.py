"""The daemon under systemd, as docs/serve.md installs it: for root and for an ordinary user."""

import contextlib
import os
import pathlib
import shutil
import signal
import stat
import subprocess
from dataclasses import dataclass

from bed import (BOUND_SECONDS, ROOT, USER, Caller, check, equal, finish, left_cgroups,
                 processes, until)
from systemd import cgroup_of, is_managed

FILES = ("lazaret.socket", "lazaret.service")
# Ends by itself once it is told to; SIGTERM would end it as well.
WAITS = "trap 'echo told; exit 7' USR1; echo waits; while :; do sleep 0.1; done"
WAITS_FOR_GOOD = "sleep 4501; :"
MARK = "marked-4502"


@dataclass(frozen=True)
class Place:
    """Whose service manager it is."""

    who: Caller
    words: tuple
    units: pathlib.Path
    home: str
    runtime: pathlib.Path

    @property
    def socket(self):
        return self.runtime / "lazaret" / "lazaret.sock"

    @property
    def environment(self):
        mine = {"XDG_RUNTIME_DIR": str(self.runtime)} if self.who.uid else {}
        return {"PATH": "/usr/bin", "HOME": self.home, **mine}

    def start(self, *words):
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment,
                                preexec_fn=self.who.become, cwd="/tmp")

    def systemctl(self, *words):
        answer = finish(self.start("systemctl", *self.words, *words))
        equal(answer.code, 0, f"{words} {answer}")
        return answer.stdout.strip()

    def fact(self, name, unit="lazaret.service"):
        return self.systemctl("show", "-P", name, unit)

    def pid(self):
        return int(self.fact("MainPID"))

    def run(self, *command):
        return self.start("lazaret", "exec", "--json", "--", *command)


OF_ROOT = Place(ROOT, (), pathlib.Path("/etc/systemd/system"), "/root", pathlib.Path("/run"))
OF_USER = Place(USER, ("--user",), pathlib.Path("/tmp/.config/systemd/user"), "/tmp",
                pathlib.Path(f"/run/user/{USER.uid}"))


def put_units(place):
    finish(place.start("mkdir", "-p", str(place.units)))
    for name in FILES:
        shutil.copy(f"/vm/units/{name}", place.units / name)


def remove_units(place):
    place.systemctl("disable", "--now", "lazaret.socket")
    place.systemctl("stop", "lazaret.service")
    for name in FILES:
        (place.units / name).unlink()
    place.systemctl("daemon-reload")


@contextlib.contextmanager
def installed(place):
    is_managed()
    put_units(place)
    place.systemctl("daemon-reload")
    place.systemctl("enable", "--now", "lazaret.socket")
    try:
        yield
    finally:
        remove_units(place)


def is_the_daemons(answer):
    """Its ids are longer than those of a process that runs for itself."""
    equal((answer.code, answer.cause), (0, "exited"), answer)
    equal(len(answer.result["meta"]["run_id"]), 32, answer)


def serves(place):
    """A client waits two seconds for a daemon, which is short where one is emulated and starts."""
    for _ in range(4):
        answer = finish(place.run("true"))
        if len(answer.result["meta"]["run_id"]) == 32:
            break
    is_the_daemons(answer)
    return answer


def is_for_its_owner_alone(place):
    for path, kind, mode in ((place.socket, stat.S_ISSOCK, 0o600),
                             (place.socket.parent, stat.S_ISDIR, 0o700)):
        facts = path.stat()
        check(kind(facts.st_mode), path)
        equal((stat.S_IMODE(facts.st_mode), facts.st_uid), (mode, place.who.uid), path)


def status_of(pid, name):
    """Of proc(5)'s status; nothing when the process has gone."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return line.split()[1:]
    return []


def starts_at_the_first_run(place):
    with installed(place):
        equal(place.fact("ActiveState", "lazaret.socket"), "active")
        equal(place.fact("ActiveState"), "inactive")
        is_for_its_owner_alone(place)
        serves(place)
        until(lambda: place.fact("ActiveState") == "active", "the service is not active")
        equal(place.fact("NRestarts"), "0")
        equal(set(status_of(place.pid(), "Uid")), {str(place.who.uid)})


def is_up_once_it_says_so(place):
    """`systemctl start` comes back when the daemon has told that it is ready."""
    with installed(place):
        place.systemctl("start", "lazaret.service")
        equal((place.fact("Type"), place.fact("SubState")), ("notify", "running"))
        serves(place)
        equal(place.fact("NRestarts"), "0")


@contextlib.contextmanager
def under_way(place, code):
    """A run of the daemon's, from the moment that its program is there."""
    place.systemctl("start", "lazaret.service")
    client = started(place, code)
    for _ in range(4):
        if not boxed(f"{client.pid}-"):
            break
        client.kill()  # it has done without a daemon that was too slow for it
        until(lambda: not programs(), "the program outlives its client", BOUND_SECONDS)
        client = started(place, code)
    try:
        yield client
    finally:
        client.kill()


def started(place, code):
    client = place.run("sh", "-c", code, MARK)
    until(programs, "the program has not started", BOUND_SECONDS)
    return client


def programs():
    """Those in boxes; the client's own words have the mark as well."""
    return boxed("")


def boxed(owner):
    """Marked processes in boxes; "NUMBER-" for those that this process of ours has made."""
    return [pid for pid in processes(MARK) if f"/lazaret-{owner}" in cgroup_if_any(pid)]


def cgroup_if_any(pid):
    try:
        return cgroup_of(pid)
    except OSError:
        return ""


def holds_boxes_beneath_the_service(place):
    with installed(place), under_way(place, WAITS_FOR_GOOD):
        home = cgroup_of(place.pid()).strip().rpartition("/lazaret.service")[0]
        box = cgroup_of(programs()[0])
        check(box.startswith(f"{home}/lazaret.service/"), box)


def hearers():
    """Programs that have set their trap."""
    wanted = 1 << (signal.SIGUSR1 - 1)
    return [pid for pid in programs()
            if int("".join(status_of(pid, "SigCgt")) or "0", 16) & wanted]


def lets_a_run_end_by_itself(place):
    """The daemon alone hears of the end; its answer still comes, and its successor serves."""
    with installed(place):
        with under_way(place, WAITS) as client:
            place.systemctl("stop", "--no-block", "lazaret.service")
            until(lambda: place.fact("ActiveState") == "deactivating", "it does not end")
            until(hearers, "the program does not listen", BOUND_SECONDS)
            os.kill(hearers()[0], signal.SIGUSR1)
            answer = finish(client)
        equal((answer.code, answer.cause), (7, "nonzero_exit"), answer)
        equal(answer.result["stdout"], "waits\ntold\n")
        until(lambda: place.fact("ActiveState") == "inactive", "it does not end", BOUND_SECONDS)
        equal(place.fact("Result"), "success")
        serves(place)


def leaves_nothing_when_stopped(place):
    with installed(place):
        with under_way(place, WAITS_FOR_GOOD) as client:
            place.systemctl("stop", *FILES)
            answer = finish(client)
        equal(answer.cause, "cancelled", answer)
        equal((place.fact("ActiveState"), place.fact("Result")), ("inactive", "success"))
        equal(programs(), [])
        equal(left_cgroups(), [])
        check(not place.socket.exists(), f"{place.socket} is left")


def comes_back_after_a_kill(place):
    with installed(place):
        with under_way(place, WAITS_FOR_GOOD) as client:
            first = place.pid()
            place.systemctl("kill", "-s", "KILL", "lazaret.service")
            answer = finish(client)
        equal((answer.code, answer.cause), (125, "infrastructure_lost"), answer)
        serves(place)
        check(place.pid() not in (0, first), "the killed daemon is still there")
        until(lambda: not programs(), "the program outlives the daemon")


@contextlib.contextmanager
def configured(place, text):
    """What the user has in the file of his own; put there as himself."""
    path = pathlib.Path(place.home) / ".config" / "lazaret" / "config.yaml"
    equal(finish(place.start("mkdir", "-p", str(path.parent))).code, 0)
    path.write_text(text)
    try:
        yield
    finally:
        path.unlink()


def has_its_users_configuration(place):
    """The home counts where an engine may be looked for: the daemon must have the same one."""
    with configured(place, "type: auto\nlimits:\n  timeout: 7s\n"), installed(place):
        equal(serves(place).result["meta"]["limits"]["timeout_ms"], 7000)


def StartsAtTheFirstRunOfRoots():
    starts_at_the_first_run(OF_ROOT)


def StartsAtTheFirstRunOfAUsers():
    starts_at_the_first_run(OF_USER)


def HasTheConfigurationOfRoots():
    has_its_users_configuration(OF_ROOT)


def HasTheConfigurationOfAUsers():
    has_its_users_configuration(OF_USER)


def IsUpOnceItSaysSoForRoot():
    is_up_once_it_says_so(OF_ROOT)


def IsUpOnceItSaysSoForAUser():
    is_up_once_it_says_so(OF_USER)


def HoldsRootsBoxesBeneathTheService():
    holds_boxes_beneath_the_service(OF_ROOT)


def HoldsAUsersBoxesBeneathTheService():
    holds_boxes_beneath_the_service(OF_USER)


def LetsARunOfRootsEndByItselfWhenStopped():
    lets_a_run_end_by_itself(OF_ROOT)


def LetsARunOfAUsersEndByItselfWhenStopped():
    lets_a_run_end_by_itself(OF_USER)


def LeavesNothingOfRootsWhenStopped_L49():
    leaves_nothing_when_stopped(OF_ROOT)


def LeavesNothingOfAUsersWhenStopped_L49():
    leaves_nothing_when_stopped(OF_USER)


def ComesBackForRootAfterAKill_P04():
    comes_back_after_a_kill(OF_ROOT)


def ComesBackForAUserAfterAKill_P04():
    comes_back_after_a_kill(OF_USER)
