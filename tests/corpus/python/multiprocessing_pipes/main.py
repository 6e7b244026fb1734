import multiprocessing as mp


def count_primes(connection, first, last):
    found = 0
    for number in range(max(first, 2), last):
        if all(number % divisor for divisor in range(2, int(number**0.5) + 1)):
            found += 1
    connection.send(found)
    connection.close()


answers = []
if __name__ == "__main__":
    jobs = []
    for first in range(0, 400, 100):
        receiver, sender = mp.Pipe(duplex=False)
        process = mp.Process(target=count_primes, args=(sender, first, first + 100))
        process.start()
        sender.close()
        jobs.append((process, receiver))
    for process, receiver in jobs:
        answers.append(receiver.recv())
        process.join()
        print(process.exitcode, answers[-1])

answers
