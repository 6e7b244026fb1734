from concurrent.futures import ThreadPoolExecutor, as_completed


def collatz(number):
    if number < 1:
        raise ValueError(f"{number} is not positive")
    steps = 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps


with ThreadPoolExecutor(max_workers=4) as pool:
    print(list(pool.map(collatz, range(1, 11))))
    futures = {pool.submit(collatz, number): number for number in (27, 0, 97)}
    outcome = {}
    for future in as_completed(futures):
        try:
            outcome[futures[future]] = future.result()
        except ValueError as error:
            outcome[futures[future]] = str(error)

for number in sorted(outcome):
    print(number, outcome[number])
