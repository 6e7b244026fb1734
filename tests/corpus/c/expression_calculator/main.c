#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at, *failure;

static double sum(void);

static char peek(void) {
  while (isspace((unsigned char)*at)) ++at;
  return *at;
}

static double factor(void) {
  if (peek() == '-') return ++at, -factor();
  if (*at == '(') {
    ++at;
    const double inner = sum();
    peek() == ')' ? (void)++at : (void)(failure = "missing )");
    return inner;
  }
  const char* const before = at;
  const double number = strtod(before, (char**)&at);
  if (at == before) failure = "a number is missing";
  return number;
}

static double product(void) {
  double value = factor();
  for (char sign; (sign = peek()) == '*' || sign == '/';) {
    ++at;
    const double right = factor();
    if (sign == '/' && right == 0) failure = "division by zero";
    value = sign == '*' ? value * right : value / right;
  }
  return value;
}

static double sum(void) {
  double value = product();
  for (char sign; (sign = peek()) == '+' || sign == '-';) {
    ++at;
    value += sign == '+' ? product() : -product();
  }
  return value;
}

int main(void) {
  int failures = 0;
  for (char line[128]; fgets(line, sizeof line, stdin) != NULL; failures += failure != NULL) {
    line[strcspn(line, "\n")] = '\0';
    at = line, failure = NULL;
    const double value = sum();
    if (failure == NULL && peek() != '\0') failure = "something is left";
    if (failure == NULL) printf("%s = %g\n", line, value);
    else fprintf(stderr, "%s: %s at %d\n", line, failure, (int)(at - line));
  }
  return failures;
}
