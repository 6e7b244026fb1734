import sys

SECRETS = iter([61, 8])
lines = 0


def ask(prompt):
    global lines
    answer = input(prompt)
    lines += 1
    return answer.strip()


def play(secret):
    tries = 0
    while True:
        try:
            guess = int(ask("guess> "))
        except ValueError as error:
            print("numbers only,", error.args[0].rpartition(" ")[2])
            continue
        tries += 1
        if guess == secret:
            return tries
        print("lower" if guess > secret else "higher")


try:
    for secret in SECRETS:
        print("right after", play(secret))
        if ask("again? ") != "yes":
            break
except EOFError:
    sys.stdout.flush()
    print(f"\nno more input after {lines} lines", file=sys.stderr)
    sys.exit(3)
