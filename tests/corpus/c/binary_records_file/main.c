#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  uint32_t id;
  int32_t balance;
  char owner[8];
} Account;

static void check(int holds, const char* step) {
  if (!holds) perror(step);
}

int main(void) {
  const Account made[] = {{1, 500, "ada"}, {2, -20, "grace"}, {3, 75, "linus"}};
  FILE* file = fopen("accounts.bin", "w+b");
  if (file == NULL) return perror("fopen"), 1;
  check(fwrite(made, sizeof *made, 3, file) == 3, "fwrite");

  Account one;
  check(fseek(file, 1 * (long)sizeof one, SEEK_SET) == 0, "fseek");
  check(fread(&one, sizeof one, 1, file) == 1, "fread");
  one.balance += 120;
  check(fseek(file, -(long)sizeof one, SEEK_CUR) == 0, "fseek");
  check(fwrite(&one, sizeof one, 1, file) == 1, "fwrite");

  rewind(file);
  long total = 0;
  while (fread(&one, sizeof one, 1, file) == 1) {
    printf("%u %-6s%5d\n", one.id, one.owner, one.balance);
    total += one.balance;
  }
  printf("total %ld, %ld bytes, end %s\n", total, ftell(file), feof(file) ? "reached" : "missed");
  fclose(file);

  check(rename("accounts.bin", "old.bin") == 0, "rename");
  check(fopen("accounts.bin", "rb") == NULL, "fopen");
  check(remove("old.bin") == 0, "remove");
  check(remove("old.bin") == 0, "second remove");
  return 0;
}
