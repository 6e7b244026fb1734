from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 28
CENT = Decimal("0.01")


def schedule(principal, yearly, months):
    rate = yearly / 12
    payment = (principal * rate / (1 - (1 + rate) ** -months)).quantize(CENT, ROUND_HALF_EVEN)
    balance = principal
    for month in range(1, months + 1):
        interest = (balance * rate).quantize(CENT, ROUND_HALF_EVEN)
        paid = min(payment, balance + interest)
        balance -= paid - interest
        yield month, paid, interest, balance


for month, paid, interest, balance in schedule(Decimal("1200"), Decimal("0.06"), 6):
    print(f"{month} {paid:>8} {interest:>6} {balance:>9}")

print(0.1 + 0.2 == 0.3, Decimal("0.1") + Decimal("0.2") == Decimal("0.3"))
print(Decimal(2).sqrt())
harmonic = sum(Fraction(1, number) for number in range(1, 11))
print(harmonic, float(harmonic), Fraction(3.140625).limit_denominator(10))
