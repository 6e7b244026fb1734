#include <stdio.h>

double area(double width, double height);

int main(void) {
  printf("%.1f\n", area(2, 3));
  return 0;
}
