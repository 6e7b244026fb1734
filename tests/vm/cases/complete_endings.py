"""Bad endings of every kind beside each other, where boxes have cgroups: nothing remains."""

from bed import check, equal, finish, left_cgroups, processes, start

MARKER = "4399"
LIMITS = ("--memory", "32MiB", "--pids", "24", "--disk", "4MiB", "--file-size", "1MiB",
          "--grace", "100ms")
LATE = ("--timeout", "1500ms")

# What a shell is told, what its end may be called, and limits of its own.
ENDINGS = (
    ("exit 3", {"nonzero_exit"}),
    ("kill -SEGV $$", {"signalled"}),
    ("kill -9 $$", {"signalled"}),
    (f"exec sleep {MARKER}", {"timeout"}, LATE),
    ("kill -STOP $$; echo never", {"timeout"}, LATE),
    ("trap '' TERM; while :; do sleep 0.1; done", {"timeout"}, LATE),
    ("while :; do :; done", {"timeout"}, LATE),
    ("while :; do :; done", {"cpu_limit"}, ("--cpu-time", "1s")),
    ("exec cat /dev/zero >&2", {"output_limit"}, ("--output-limit", "1MiB")),
    # Whose fork is refused, its own or a branch's, depends on who comes first.
    (f"b() {{ b | b & }}; b; exec sleep {MARKER}", {"pids_limit", "timeout", "nonzero_exit"}, LATE),
    ("exec tail /dev/zero", {"memory_limit"}),
    ("sh -c 'exec tail /dev/zero' & wait; echo never", {"memory_limit"}),
    (f"setsid sh -c 'setsid sleep {MARKER} & sleep {MARKER}' & exit 0", {"exited"}),
    (f"setsid sh -c 'trap \"\" TERM HUP; kill -STOP $$; exec sleep {MARKER}' {MARKER} & "
     f"exec sleep {MARKER}", {"timeout"}, LATE),
    ("for i in 1 2 3 4 5 6; do sh -c 'true & exec sleep 0.1' & done; wait", {"exited"}),
    ("exec dd if=/dev/zero of=/work/big bs=65536 count=64 status=none", {"file_size_limit"}),
    ("i=0; while head -c 900000 /dev/zero >/work/$i; do i=$((i + 1)); done; exit 1",
     {"disk_limit"}),
)
BESIDE_EACH_OTHER = 4
ROUNDS = 4


def words_of(code, causes, options=()):
    del causes
    return ("exec", "--json", "--type", "local", *LIMITS, *options, "--", "sh", "-c", code)


def judge(ending, process):
    answer = finish(process)
    check(answer.cause in ending[1], f"{ending[0]}: {answer}")
    kill = answer.result["meta"].get("kill") or {}
    equal(kill.get("survivors", 0), 0, answer)
    equal(answer.statuses("memory", "pids", "cpu"),
          {"memory": "enforced", "pids": "enforced", "cpu": "enforced"}, answer)


def LeaveNothingHoweverTheyCome_L49_P03_P52():
    crowd = [each for turn in range(ROUNDS) for each in ENDINGS[turn:] + ENDINGS[:turn]]
    while crowd:
        beside = [crowd.pop() for _ in range(min(BESIDE_EACH_OTHER, len(crowd)))]
        for ending, process in [(each, start(*words_of(*each))) for each in beside]:
            judge(ending, process)
        equal((processes(MARKER), left_cgroups()), ([], []), beside)
