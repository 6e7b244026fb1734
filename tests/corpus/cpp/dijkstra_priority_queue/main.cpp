#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

using Graph = std::map<std::string, std::vector<std::pair<std::string, int>>>;

struct Route {
  int length = std::numeric_limits<int>::max();
  std::string before;
};

std::map<std::string, Route> routes_from(const Graph& graph, const std::string& start) {
  std::map<std::string, Route> routes;
  routes[start].length = 0;
  using Entry = std::pair<int, std::string>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  open.emplace(0, start);
  while (!open.empty()) {
    const auto [length, city] = open.top();
    open.pop();
    if (length > routes[city].length) continue;
    const auto found = graph.find(city);
    if (found == graph.end()) continue;
    for (const auto& [next, distance] : found->second) {
      Route& route = routes[next];
      if (length + distance >= route.length) continue;
      route = {length + distance, city};
      open.emplace(route.length, next);
    }
  }
  return routes;
}

int main(int count, char** words) {
  Graph graph;
  std::string from, to;
  for (int distance; std::cin >> from >> to >> distance;) {
    graph[from].emplace_back(to, distance);
    graph[to].emplace_back(from, distance);
  }
  const std::string start = count > 1 ? words[1] : "A";
  auto routes = routes_from(graph, start);
  for (int at = 2; at < count; ++at) {
    const std::string target = words[at];
    if (!routes.contains(target)) {
      std::cout << "no way to " << target << '\n';
      continue;
    }
    std::string path;
    for (std::string city = target; !city.empty(); city = routes[city].before)
      path = " " + city + path;
    std::cout << routes[target].length << ':' << path << '\n';
  }
}
