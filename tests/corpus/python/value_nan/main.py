def ratio(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return float("nan")


ratios = [ratio(1, 2), ratio(3, 4), ratio(0, 0)]
print(len(ratios), "ratios")
{"ratios": ratios}
