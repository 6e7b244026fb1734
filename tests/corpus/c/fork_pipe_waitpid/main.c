#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long collatz_steps(long number) {
  long steps = 0;
  for (; number != 1; ++steps) number = number % 2 ? 3 * number + 1 : number / 2;
  return steps;
}

static void child(int out, long number) {
  if (number == 0) raise(SIGTERM);
  const long steps = collatz_steps(number);
  if (write(out, &steps, sizeof steps) != sizeof steps) _exit(99);
  _exit((int)(steps % 10));
}

int main(void) {
  const long numbers[] = {27, 0, 97};
  for (int at = 0; at < 3; ++at) {
    int ends[2];
    if (pipe(ends) != 0) return perror("pipe"), 1;
    const pid_t started = fork();
    if (started < 0) return perror("fork"), 1;
    if (started == 0) child(ends[1], numbers[at]);
    close(ends[1]);

    long steps = -1;
    const ssize_t got = read(ends[0], &steps, sizeof steps);
    close(ends[0]);
    int status = 0;
    if (waitpid(started, &status, 0) != started) return perror("waitpid"), 1;
    printf("%ld: %s, %ld steps, ", numbers[at], got == 0 ? "nothing" : "an answer", steps);
    if (WIFEXITED(status)) printf("status %d\n", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
    fflush(stdout);
  }

  const int status = system("echo from a shell; exit 5");
  printf("the shell left with %d\n", WEXITSTATUS(status));
  printf("more children: %s\n", wait(NULL) < 0 ? "none" : "some");
}
