import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class WordIndex {
  private static List<String> wordsOf(String line) {
    var parts = line.toLowerCase(Locale.ROOT).split("[^a-z]+");
    return Arrays.stream(parts).filter(word -> !word.isEmpty()).toList();
  }

  public static void main(String[] arguments) throws IOException {
    List<String> lines;
    try (var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      lines = input.lines().collect(Collectors.toList());
    }

    Map<String, List<Integer>> index = IntStream.range(0, lines.size()).boxed()
        .flatMap(at -> wordsOf(lines.get(at)).stream().map(word -> Map.entry(word, at + 1)))
        .collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new,
            Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    index.forEach((word, at) -> {
      if (at.size() > 1) System.out.printf("%-5s%s%n", word, at);
    });

    var byLength = Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());
    var longest = index.keySet().stream().sorted(byLength.reversed()).limit(3)
        .collect(Collectors.joining(", ", "[", "]"));
    var lengths = index.keySet().stream().mapToInt(String::length).summaryStatistics();
    System.out.println(longest + " of " + lengths.getCount() + ", longest " + lengths.getMax());

    var parts = index.keySet().stream().collect(
        Collectors.partitioningBy(word -> word.length() > 4, Collectors.counting()));
    System.out.println(parts);
    System.out.println("""
        lines: %d
          words: %d""".formatted(lines.size(), index.values().stream().mapToInt(List::size).sum()));
  }
}
