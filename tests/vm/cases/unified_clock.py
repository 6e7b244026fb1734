"""The time of day is set while programs run: what they are given is counted by a steady clock."""

import contextlib
import time

from bed import check, equal, finish, processes, start, until

HOUR = 3600
MARK = "timed-4713"


@contextlib.contextmanager
def clock_set(seconds):
    """By so many, until it is set back."""
    time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)
    try:
        yield
    finally:
        time.clock_settime(time.CLOCK_REALTIME, time.time() - seconds)


def under_a_clock_that_is_set(seconds, timeout, code):
    began = time.monotonic()
    running = start("exec", "--json", "--timeout", timeout, "--grace", "200ms", "--", "sh", "-c",
                    code, MARK)
    # Lazaret's own command line has the word, too; the shell keeps it until its last command.
    until(lambda: len(processes(MARK)) > 1, "the program has not started")
    with clock_set(seconds):
        return finish(running), time.monotonic() - began


def EndsNoRunBecauseTheClockIsSetForward_P09():
    answer, _ = under_a_clock_that_is_set(HOUR, "20s", "echo begun; sleep 3; echo over")
    equal((answer.cause, answer.result["stdout"]), ("exited", "begun\nover\n"), answer)
    check(2.9 < answer.result["duration"] < 15, answer)


def ProlongsNoRunBecauseTheClockIsSetBack_P09():
    answer, seconds = under_a_clock_that_is_set(-HOUR, "3s", "echo begun; sleep 60; echo never")
    equal((answer.cause, answer.result["stdout"]), ("timeout", "begun\n"), answer)
    check(2.9 < answer.result["duration"] < 15 and seconds < 20, f"{seconds} s\n{answer}")
