import java.util.List;
import java.util.stream.Collectors;

record Order(String customer, int amount) {}

public class Report {
  public static void main(String[] words) {
    var orders = List.of(new Order("b", 2), new Order("a", 5), new Order("b", 1));
    var totals = orders.stream().collect(Collectors.groupingBy(
        Order::customer, java.util.TreeMap::new, Collectors.summingInt(Order::amount)));
    System.out.println(totals + " " + words[0]);
  }
}
