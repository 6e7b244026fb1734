import csv
import io
from collections import defaultdict

DATA = """date,region,product,units,price
2024-01-03,North,Widget,12,9.99
2024-01-04,South,Gadget,3,24.50
2024-01-04,North,Gadget,7,24.50
2024-01-05,East,Widget,20,9.99
2024-01-06,South,"Cable, 2 m",15,4.25
2024-01-07,East,Gadget,1,24.50
"""


def load(text):
    for row in csv.DictReader(io.StringIO(text)):
        yield row["region"], row["product"], int(row["units"]), float(row["price"])


totals = defaultdict(float)
units = defaultdict(int)
for region, product, count, price in load(DATA):
    totals[region] += count * price
    units[region] += count

print(f"{'Region':<8}{'Units':>6}{'Revenue':>12}")
print("-" * 26)
for region in sorted(totals, key=totals.get, reverse=True):
    print(f"{region:<8}{units[region]:>6}{totals[region]:>12,.2f}")
print("-" * 26)
print(f"{'Total':<8}{sum(units.values()):>6}{sum(totals.values()):>12,.2f}")
