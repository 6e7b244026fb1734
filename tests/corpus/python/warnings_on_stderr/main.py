import warnings


def old_mean(numbers):
    warnings.warn("use fmean", DeprecationWarning, stacklevel=2)
    return sum(numbers) / len(numbers)


class StaleData(UserWarning):
    pass


results = [old_mean([1, 2]) for _ in range(3)]
print(results)

for _ in range(2):
    warnings.warn("careful")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old_mean([3])
    warnings.warn("yesterday's prices", StaleData)
print([(w.category.__name__, str(w.message), w.lineno) for w in caught])
with warnings.catch_warnings():
    warnings.filterwarnings("error", message="yester")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    old_mean([4])
    try:
        warnings.warn("yesterday's prices", StaleData)
    except StaleData as error:
        print("as an error:", error)
warnings.warn("not shown", PendingDeprecationWarning)
warnings.warn("not shown either", ImportWarning)
