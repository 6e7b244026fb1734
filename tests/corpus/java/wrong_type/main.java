public class Main {
  public static void main(String[] words) {
    int number = "text";
  }
}
