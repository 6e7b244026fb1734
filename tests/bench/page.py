#!/usr/bin/env python3
"""Writes what lazaret_bench has measured into docs/performance.md and draws its plot.

page.py PAGE whole|part REPORT.json…: PAGE.json, PAGE.png, and what stands between PAGE.md's two
markers. A part takes the places of its groups in the report that is there. One of the reports may
be that of tests/tools/vm.sh bench, of which the ratios are taken.
"""
import json
import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- begin of the numbers -->", "<!-- end of the numbers -->"
COLOURS = {"ours": "#1f5fbf", "engine": "#d9730d", "peer": "#2e8b57", "bare": "#707070"}
WORDS = {"ours": "Lazaret", "engine": "engines' own programs", "peer": "other sandboxes",
         "bare": "no sandbox"}


def short(value):
    """Three digits that count."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def asked(figure):
    if "asked" not in figure:
        return ""
    (sign, bound), = figure["asked"].items()
    words = {"<=": "at most", ">=": "at least"}[sign]
    return f"{words} {bound:g}: " + ("held" if figure["held"] else "**not held**")


def timing_rows(timings):
    yield "| | p50 ms | p99 ms | count |"
    yield "| --- | ---: | ---: | ---: |"
    for row in timings:
        if "missing" in row:
            yield f"| {row['name']} | {row['missing']} | | |"
        else:
            times = f"{short(row['p50_ms'])} | {short(row['p99_ms'])}"
            failed = f", {row['failed']} without a result" if "failed" in row else ""
            yield f"| {row['name']} | {times} | {row['count']}{failed} |"


def figure_rows(figures):
    yield "| | | asked |"
    yield "| --- | ---: | --- |"
    for row in figures:
        yield f"| {row['name']} | {short(row['value'])} {row['unit']} | {asked(row)} |"


def group_lines(group):
    yield f"### {group['title'][0].upper()}{group['title'][1:]}"
    yield ""
    if "machine" in group:
        yield from machine_lines(group["machine"])
    if "measured" in group:
        measured = group["measured"]
        yield (f"Measured anew: {measured['when']}, commit {measured['commit']}, "
               f"on {measured['processor']}, kernel {measured['kernel']}.")
        yield ""
        yield from provisional_lines(group["measured"])
    if "missing" in group:
        yield f"{group['missing'][0].upper()}{group['missing'][1:]}."
        yield ""
    for rows, lines in ((group["timings"], timing_rows), (group["figures"], figure_rows)):
        if rows:
            yield from lines(rows)
            yield ""


def machine_lines(machine):
    yield (f"Measured {machine['when']}, commit {machine['commit']}, in an emulated machine: "
           f"{machine['kernel']} with all of cgroup v2. Not enforced there: "
           f"{machine['not_enforced']}. Its milliseconds mean nothing beside others.")
    yield ""


def provisional_lines(machine):
    if machine["commit"].endswith("-dirty"):
        yield ("**Provisional**: measured of a tree that was being changed; run it again on a "
               "commit.")
        yield ""
    load = float(machine["load_before"].split()[0])
    if load > machine["processors"] / 2:
        yield (f"**Provisional**: others kept the machine busy (load {load}), which shows in all "
               "of this; run it again on a quiet one.")
        yield ""


def numbers(report, plot):
    machine = report["machine"]
    yield from provisional_lines(machine)
    yield f"![python's print(1), p50 and p99]({plot})"
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    for key, value in machine.items():
        yield f"| {key.replace('_', ' ')} | {value} |"
    yield ""
    for group in report["groups"]:
        yield from group_lines(group)


def write_page(report, page, plot):
    head, rest = page.read_text().split(BEGIN)
    _, tail = rest.split(END)
    body = "\n".join(numbers(report, plot.name)).rstrip()
    page.write_text(f"{head}{BEGIN}\n\n{body}\n\n{END}{tail}")


def quoted(text):
    """In single quotes, as gnuplot reads them."""
    return "'" + text.replace("'", "''") + "'"


def block(who, rows):
    """A named data block of gnuplot's: place, p50, p99, and what is written beside."""
    yield f"${who} << END"
    for place, row in rows:
        both = f"{short(row['p50_ms'])} / {short(row['p99_ms'])}"
        yield f"{place} {row['p50_ms']} {row['p99_ms']} \"{both}\""
    yield "END"


def plot_script(timings, plot):
    rows = [(-place, row) for place, row in enumerate(timings)]
    by_who = {who: [pair for pair in rows if pair[1]["who"] == who] for who in COLOURS}
    by_who = {who: pairs for who, pairs in by_who.items() if pairs}
    for who, pairs in by_who.items():
        yield from block(who, pairs)
    ticks = ", ".join(f"{quoted(row['name'])} {place}" for place, row in rows)
    most = max(row["p99_ms"] for row in timings)
    least = min(row["p50_ms"] for row in timings)
    yield f"""set terminal pngcairo size 1100,{150 + 30 * len(rows)} font 'DejaVu Sans,11'
set output {quoted(str(plot))}
set title "python print(1), until its result is in the caller's hands" font ',13' offset 0,1.3
set xlabel 'milliseconds, logarithmic: dot and first number are the median, whisker and second p99'
set logscale x
set xrange [{least / 2}:{most * 4}]
set yrange [{0.4 - len(rows)}:0.7]
set ytics ({ticks}) scale 0 tc rgb 'black'
set grid xtics mxtics lt 1 lc '#d8d8d8', lt 1 lc '#eeeeee'
set border 1 lc '#909090'
set xtics nomirror tc rgb 'black' format '%g'
set key at graph 0.5, graph 1.0 center bottom horizontal Left reverse samplen 2 maxrows 1
set tmargin 5"""
    pieces = []
    for who in by_who:
        style = f"lc rgb '{COLOURS[who]}'"
        pieces.append(f"${who} using 2:1:2:3 with xerrorbars {style} lw 2 pt 7 ps 1.3 "
                      f"title {quoted(WORDS[who])}")
        pieces.append(f"${who} using 3:1:4 with labels left offset 1,0 font ',10' "
                      f"tc rgb '{COLOURS[who]}' notitle")
    yield "plot " + ", \\\n  ".join(pieces)


def draw(report, plot):
    group = next(group for group in report["groups"] if group["name"] == "print")
    timings = [row for row in group["timings"] if "missing" not in row]
    script = "\n".join(plot_script(timings, plot)) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def with_part(report, part):
    """The report with these groups as they were measured later, each saying so."""
    named = {group["name"]: {**group, "measured": part["machine"]} for group in part["groups"]}
    groups = [named.pop(group["name"], group) for group in report["groups"]]
    return {**report, "groups": [*groups, *named.values()]}


def is_of_machine(report):
    return report["machine"]["processor"].startswith("QEMU")


def confined(report):
    """The group that a machine with every control has measured, under a name of its own."""
    group = next(group for group in report["groups"] if group["name"] == "true")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=Path(__file__).parent, check=False).stdout.strip() or "unknown"
    left_out = ("lazaret exec", "library, first run of a sandbox")
    ratios = ("what the library adds", "library, a box made")
    return {"name": "confined", "title": "native: true, with every control on",
            "timings": [row for row in group["timings"]
                        if "missing" not in row and row["name"] not in left_out],
            "figures": [row for row in group["figures"] if row["name"].startswith(ratios)],
            "machine": {**report["machine"], "commit": commit}}


def with_group(report, group):
    """The report with this group behind that of the same on this machine, or in its place."""
    others = [each for each in report["groups"] if each["name"] != group["name"]]
    place = [each["name"] for each in others].index("true") + 1
    return {**report, "groups": [*others[:place], group, *others[place:]]}


def main():
    name, extent, *sources = sys.argv[1:]
    page, kept, plot = (Path(f"{name}.{kind}") for kind in ("md", "json", "png"))
    reports = [json.loads(Path(source).read_text()) for source in sources]
    report = json.loads(kept.read_text()) if kept.exists() else {}
    for each in (each for each in reports if not is_of_machine(each)):
        report = with_part(report, each) if extent == "part" else each
    for each in filter(is_of_machine, reports):
        report = with_group(report, confined(each))
    kept.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    draw(report, plot)
    write_page(report, page, plot)


if __name__ == "__main__":
    main()
