#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Person {
  char name[16];
  char team[8];
  unsigned age;
};

static int by_team_then_age(const void* left, const void* right) {
  const struct Person *a = left, *b = right;
  const int order = strcmp(a->team, b->team);
  return order != 0 ? order : (a->age < b->age) - (a->age > b->age);
}

static int by_name(const void* left, const void* right) {
  return strcmp(((const struct Person*)left)->name, ((const struct Person*)right)->name);
}

int main(void) {
  struct Person people[] = {
      {"Grace", "navy", 45}, {"Ada", "engine", 36}, {"Barbara", "clu", 29},
      {"Charles", "engine", 51}, {"Jean", "navy", 27},
  };
  const size_t count = sizeof people / sizeof *people;

  qsort(people, count, sizeof *people, by_team_then_age);
  for (size_t at = 0; at < count; ++at) {
    printf("%-8s%-10s%3u\n", people[at].team, people[at].name, people[at].age);
  }

  qsort(people, count, sizeof *people, by_name);
  const char* const wanted[] = {"Charles", "Zoe"};
  for (int at = 0; at < 2; ++at) {
    struct Person key = {0};
    strncpy(key.name, wanted[at], sizeof key.name - 1);
    const struct Person* found = bsearch(&key, people, count, sizeof key, by_name);
    printf("%s: %s\n", wanted[at], found == NULL ? "nobody" : found->team);
  }
  return people[0].age == 36 ? 0 : 1;
}
