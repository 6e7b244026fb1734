import re
from collections import Counter

LOG = """\
192.0.2.10 - - [10/Oct/2023:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326
192.0.2.11 - bob [10/Oct/2023:13:55:40 +0000] "POST /login HTTP/1.1" 302 0
192.0.2.10 - - [10/Oct/2023:13:56:01 +0000] "GET /missing HTTP/1.1" 404 153
this line is broken
198.51.100.7 - - [10/Oct/2023:13:57:12 +0000] "GET /index.html HTTP/2" 200 2326
"""

LINE = re.compile(
    r"""
    (?P<host>\S+)\s\S+\s(?P<user>\S+)\s
    \[(?P<when>[^\]]+)\]\s
    "(?P<method>[A-Z]+)\s(?P<path>\S+)\sHTTP/[\d.]+"\s
    (?P<status>\d{3})\s(?P<size>\d+)
    """,
    re.VERBOSE,
)

hosts, statuses, broken, total = Counter(), Counter(), [], 0
for number, line in enumerate(LOG.splitlines(), 1):
    match = LINE.fullmatch(line)
    if not match:
        broken.append(number)
        continue
    hosts[match["host"]] += 1
    statuses[match["status"]] += 1
    total += int(match["size"])

print("hosts:", hosts.most_common())
print("status:", sorted(statuses.items()))
print("bytes:", total)
print("unparsed lines:", broken)
print(re.sub(r"(\d+)\.(\d+)\.\d+\.\d+", r"\1.\2.x.x", LOG.splitlines()[0]))
