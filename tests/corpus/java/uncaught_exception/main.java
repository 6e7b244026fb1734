public class Main {
  static int half(int number) {
    if (number % 2 != 0) throw new IllegalStateException("odd: " + number);
    return number / 2;
  }

  public static void main(String[] words) {
    System.out.println(half(4));
    System.out.println(half(3));
  }
}
