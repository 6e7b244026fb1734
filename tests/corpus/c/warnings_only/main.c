#include <stdio.h>
#include <string.h>

#warning "the checksum is only a sketch"

static unsigned reversed_bits(unsigned value) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    result = result << 1 | (value & 1u);
    value >>= 1;
  }
  return result;
}

static unsigned checksum(const char* text) {
  unsigned sum = ~0u;
  for (size_t at = 0; at < strlen(text); ++at) {
    sum ^= (unsigned char)text[at];
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1u ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
  }
  return ~sum;
}

int main(void) {
  unsigned char small = 300;
  printf("300 in a byte is %d\n", small);
  printf("crc32 %08x\n", checksum("123456789"));
  printf("reversed %08x\n", reversed_bits(0x00000016u));
  printf("%d bits set, lowest %u, is power of two: %d\n", __builtin_popcount(0xF0F0u), 88u & -88u,
         (64u & 63u) == 0);
}
