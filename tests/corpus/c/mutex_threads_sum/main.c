#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kThreads = 4, kMost = 100000 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static long shared_sum, shared_count;
static int finished;

static void* add_every_fourth(void* given) {
  const long first = (intptr_t)given;
  long own = 0;
  for (long number = first; number <= kMost; number += kThreads) {
    own += number;
    if (number % 100 != 0) continue;
    pthread_mutex_lock(&guard);
    ++shared_count;
    pthread_mutex_unlock(&guard);
  }
  pthread_mutex_lock(&guard);
  shared_sum += own;
  if (++finished == kThreads) pthread_cond_signal(&all_done);
  pthread_mutex_unlock(&guard);
  return (void*)(intptr_t)(own % 1000);
}

int main(void) {
  pthread_t threads[kThreads];
  for (int at = 0; at < kThreads; ++at) {
    void* const given = (void*)(intptr_t)(at + 1);
    if (pthread_create(&threads[at], NULL, add_every_fourth, given) != 0) return 1;
  }
  pthread_mutex_lock(&guard);
  while (finished < kThreads) pthread_cond_wait(&all_done, &guard);
  printf("sum %ld, hundreds %ld\n", shared_sum, shared_count);
  pthread_mutex_unlock(&guard);

  for (int at = 0; at < kThreads; ++at) {
    void* result;
    pthread_join(threads[at], &result);
    printf("thread %d ended with %ld\n", at + 1, (long)(intptr_t)result);
  }
}
