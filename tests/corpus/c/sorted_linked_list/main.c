#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
  long value;
  struct Node* next;
} Node;

static void insert(Node** at, long value) {
  while (*at != NULL && (*at)->value < value) at = &(*at)->next;
  Node* made = malloc(sizeof *made);
  if (made == NULL) abort();
  *made = (Node){value, *at};
  *at = made;
}

static int erase(Node** at, long value) {
  while (*at != NULL && (*at)->value != value) at = &(*at)->next;
  if (*at == NULL) return 0;
  Node* gone = *at;
  *at = gone->next;
  free(gone);
  return 1;
}

static Node* reversed(Node* list) {
  Node* before = NULL;
  while (list != NULL) {
    Node* next = list->next;
    list->next = before;
    before = list;
    list = next;
  }
  return before;
}

static void print(const char* title, const Node* list) {
  printf("%s:", title);
  for (; list != NULL; list = list->next) printf(" %ld", list->value);
  putchar('\n');
}

int main(void) {
  Node* list = NULL;
  for (long value; scanf("%ld", &value) == 1;) insert(&list, value);
  print("sorted", list);
  printf("erased 7: %d, erased 8: %d\n", erase(&list, 7), erase(&list, 8));
  list = reversed(list);
  print("reversed", list);
  int nodes = 0;
  for (; list != NULL; ++nodes) erase(&list, list->value);
  printf("freed %d\n", nodes);
}
