#include <assert.h>
#include <stdio.h>

static int average(const int* numbers, int count) {
  assert(count > 0 && "no numbers");
  int sum = 0;
  for (int at = 0; at < count; ++at) sum += numbers[at];
  return sum / count;
}

int main(void) {
  const int numbers[] = {4, 8, 15};
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("average %d\n", average(numbers, 3));
  printf("average %d\n", average(numbers, 0));
  puts("never printed");
}
