#include <stdio.h>
#include <stdlib.h>

static int is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return 0;
  }
  return number > 1;
}

int main(int count, char** words) {
  int most = count > 1 ? atoi(words[1]) : 10;
  int found = 0;
  for (int number = 0; number <= most; ++number) found += is_prime(number);
  printf("%d primes up to %d\n", found, most);
  fprintf(stderr, "done\n");
  return 3;
}
