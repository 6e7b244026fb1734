#include <stdio.h>

int main(void) {
  int* volatile nothing = NULL;
  puts("before");
  fflush(stdout);
  return *nothing;
}
