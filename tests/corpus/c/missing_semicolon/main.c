#include <stdio.h>

int main(void) {
  int total = 0
  printf("%d\n", total);
  return 0;
}
