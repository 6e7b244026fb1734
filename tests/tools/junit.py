#!/usr/bin/env python3
"""junit.py FILE [AGAIN]: what a JUnit file of ctest or of gtest says.

AGAIN tells of tests that failed and were run once more; who passed then has failed all the same,
and is said to be unsteady. Failures with their output and skips with their reasons go to standard
error, failures also to the end of the file that LAZARET_VERDICTS names; standard output gets
"PASSED FAILED SKIPPED".
"""

import os
import re
import sys
import xml.etree.ElementTree as tree

# ctest reports "not run" for a test that skipped and for one whose program is not there.
SKIPPED = ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE")


def name_of(case):
    """ctest puts the whole name into both attributes, gtest one half into each."""
    name, group = case.get("name"), case.get("classname")
    return name if group in (None, name) else f"{group}.{name}"


def fate_of(case):
    skipped = case.find("skipped")
    if skipped is not None:
        message = skipped.get("message") or ""
        ctest = case.get("status") in ("notrun", "disabled")
        return "skipped" if not ctest or message.startswith(SKIPPED) else "failed"
    if case.find("failure") is not None or case.get("status") in ("fail", "notrun"):
        return "failed"
    return "passed"


def reason_of(case):
    """The text after the place in the source, as ctest or as gtest writes it."""
    output = case.findtext("system-out") or ""
    found = re.search(r": Skipped\n(.*?)\n*\[", output, re.DOTALL)
    message = found.group(1) if found else case.find("skipped").get("message") or ""
    if message.startswith("SKIP_RETURN_CODE"):  # what a script says last is why it skips
        message = output.strip().splitlines()[-1] if output.strip() else message
    return " ".join(re.sub(r"^\S+:\d+\n", "", message).split()) or "no reason given"


def output_of(case):
    """Its beginning and its end, where there is much of it."""
    failures = [failure.get("message") or failure.text or "" for failure in case.iter("failure")]
    text = (case.findtext("system-out") or "\n".join(failures)).strip()
    return text if len(text) <= 6000 else f"{text[:3000]}\n[…]\n{text[-3000:]}"


def tell(word, case):
    text = f"{word} {name_of(case)}\n{output_of(case)}\n"
    print(text, file=sys.stderr)
    if kept := os.environ.get("LAZARET_VERDICTS"):
        with open(kept, "a", encoding="utf-8") as file:
            print(text, file=file)


def passed_again(path):
    try:
        cases = list(tree.parse(path).iter("testcase"))
    except tree.ParseError:  # cut off
        return set()
    return {name_of(case) for case in cases if fate_of(case) == "passed"}


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    unsteady = passed_again(sys.argv[2]) if len(sys.argv) > 2 else set()
    for case in tree.parse(sys.argv[1]).iter("testcase"):
        fate = fate_of(case)
        counts[fate] += 1
        if fate == "failed":
            tell("FAILED", case)
            if name_of(case) in unsteady:
                print(f"UNSTEADY {name_of(case)}: it passed when it was run alone", file=sys.stderr)
        elif fate == "skipped":
            print(f"SKIPPED {name_of(case)}: {reason_of(case)}", file=sys.stderr)
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main()
