#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long divisor_sum(long number) {
  if (number < 1) throw std::domain_error("not positive: " + std::to_string(number));
  long sum = 0;
  for (long divisor = 1; divisor < number; ++divisor) {
    if (number % divisor == 0) sum += divisor;
  }
  return sum;
}

int main() {
  std::vector<std::pair<long, std::future<long>>> answers;
  for (const long number : {6L, 8128L, -3L, 12L}) {
    answers.emplace_back(number, std::async(std::launch::async, divisor_sum, number));
  }
  for (auto& [number, answer] : answers) {
    try {
      const long sum = answer.get();
      std::cout << number << (sum == number ? " is perfect" : " is not perfect") << '\n';
    } catch (const std::domain_error& error) {
      std::cout << "a thread threw: " << error.what() << '\n';
    }
  }

  std::promise<std::string> word;
  std::jthread speaker([&word] { word.set_value("promised"); });
  std::cout << word.get_future().get() << '\n';

  std::atomic<int> hits = 0;
  std::mutex guard;
  std::vector<int> order;
  {
    std::vector<std::jthread> threads;
    for (int id = 0; id < 4; ++id) {
      threads.emplace_back([&, id] {
        for (int round = 0; round < 5000; ++round) ++hits;
        const std::scoped_lock held(guard);
        order.push_back(id);
      });
    }
  }
  const int ids = std::accumulate(order.begin(), order.end(), 0);
  std::cout << hits << " hits, sum of ids " << ids << '\n';
}
