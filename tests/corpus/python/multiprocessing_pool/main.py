from multiprocessing import Pool


def digit_sum(number):
    return sum(int(digit) for digit in str(2**number))


if __name__ == "__main__":
    with Pool(processes=2) as pool:
        sums = pool.map(digit_sum, range(0, 200, 20))
        late = pool.apply_async(digit_sum, (1000,))
        print(sums)
        print("2**1000:", late.get(timeout=10))
