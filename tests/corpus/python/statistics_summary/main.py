import statistics

sample = [2, 4, 4, 4, 5, 5, 7, 9]
other = [value * 3 + 1 for value in sample]

result = {
    "mean": statistics.mean(sample),
    "median": statistics.median(sample),
    "stdev": round(statistics.stdev(sample), 3),
    "r": round(statistics.correlation(sample, other), 6),
}
print("mode     ", statistics.mode(sample))
print("quartiles", statistics.quantiles(sample, n=4))
print("pstdev   ", statistics.pstdev(sample))
for key, value in result.items():
    print(f"{key:<9} {value}")
result
