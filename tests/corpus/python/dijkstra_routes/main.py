import heapq

ROADS = {
    "Aix": {"Bonn": 5, "Cork": 3},
    "Bonn": {"Delft": 4},
    "Cork": {"Bonn": 1, "Delft": 6, "Essen": 9},
    "Delft": {"Essen": 2},
    "Essen": {},
}


def shortest(graph, start):
    distance, queue, came = {start: 0}, [(0, start)], {}
    while queue:
        length, node = heapq.heappop(queue)
        if length > distance[node]:
            continue
        for neighbour, step in graph[node].items():
            if length + step < distance.get(neighbour, float("inf")):
                distance[neighbour] = length + step
                came[neighbour] = node
                heapq.heappush(queue, (length + step, neighbour))
    return distance, came


distance, came = shortest(ROADS, "Aix")
path = ["Essen"]
while path[-1] in came:
    path.append(came[path[-1]])
print(" -> ".join(reversed(path)))
[[city, distance[city]] for city in sorted(distance)]
