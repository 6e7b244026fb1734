#!/usr/bin/env python3
"""junit.py FILE: what a JUnit file of ctest or of gtest says.

Failures with their output and skips with their reasons go to standard error; standard output gets
"PASSED FAILED SKIPPED".
"""

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
    failures = [failure.get("message") or failure.text or "" for failure in case.iter("failure")]
    return (case.findtext("system-out") or "\n".join(failures)).strip()


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in tree.parse(sys.argv[1]).iter("testcase"):
        fate = fate_of(case)
        counts[fate] += 1
        if fate == "failed":
            print(f"FAILED  {name_of(case)}\n{output_of(case)}\n", file=sys.stderr)
        elif fate == "skipped":
            print(f"SKIPPED {name_of(case)}: {reason_of(case)}", file=sys.stderr)
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main()
