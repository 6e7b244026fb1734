#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { kOverflow = 1, kNegative = 2 };

static jmp_buf recovery;
static sigjmp_buf after_fault;

static int factorial(int number) {
  if (number < 0) longjmp(recovery, kNegative);
  if (number == 0) return 1;
  int result;
  if (__builtin_mul_overflow(number, factorial(number - 1), &result)) longjmp(recovery, kOverflow);
  return result;
}

static void on_fault(int number) {
  (void)number;
  siglongjmp(after_fault, 1);
}

int main(void) {
  static const int kQuestions[] = {5, 12, 13, -1, 0};
  volatile int failures = 0;
  for (volatile int at = 0; at < 5; ++at) {
    switch (setjmp(recovery)) {
      case 0: printf("%d! = %d\n", kQuestions[at], factorial(kQuestions[at])); break;
      case kOverflow: printf("%d! is above %d\n", kQuestions[at], INT_MAX), ++failures; break;
      default: printf("%d! is no number\n", kQuestions[at]), ++failures; break;
    }
  }

  struct sigaction action = {.sa_handler = on_fault};
  sigaction(SIGSEGV, &action, NULL);
  if (sigsetjmp(after_fault, 1) == 0) {
    *(volatile int*)16 = 1;
    puts("never printed");
  } else {
    puts("came back from a fault");
  }
  exit(10 + failures);
}
