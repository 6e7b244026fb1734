import csv
import io
import sys
from decimal import Decimal, InvalidOperation

stream = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
head = stream.readline()
dialect = csv.Sniffer().sniff(head, delimiters=";,\t")
names = head.strip().split(dialect.delimiter)
reader = csv.DictReader(stream, names, restkey="more", restval="-", delimiter=dialect.delimiter)
total, rows, bad = Decimal(0), [], []
for row in reader:
    try:
        price = Decimal(row["price"].replace(",", "."))
    except InvalidOperation:
        print(f"line {reader.line_num + 1}: no price: {row['price']!r}", file=sys.stderr)
        bad.append(row["name"])
        price = None
    else:
        total += price
    rows.append({"item": row["name"], "price": price, "note": " ".join(row["note"].split())})

writer = csv.DictWriter(sys.stdout, ["item", "price", "note"], quoting=csv.QUOTE_NONNUMERIC,
                        lineterminator="\n")
writer.writeheader()
writer.writerows(rows)
{"rows": len(rows), "total": float(total), "bad": bad}
