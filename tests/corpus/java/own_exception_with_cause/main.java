class TransferFailed extends RuntimeException {
  TransferFailed(String message, Throwable cause) {
    super(message, cause);
  }
}

class Ledger implements AutoCloseable {
  private long balance;

  Ledger(long balance) {
    this.balance = balance;
  }

  void take(long amount) {
    if (amount > balance) throw new IllegalArgumentException("only " + balance + " left");
    balance -= amount;
    System.out.println("took " + amount);
  }

  @Override
  public void close() {
    System.out.println("closed with " + balance);
  }
}

public class Bank {
  static void transfer(long... amounts) {
    try (var ledger = new Ledger(100)) {
      for (long amount : amounts) ledger.take(amount);
    } catch (IllegalArgumentException refused) {
      throw new TransferFailed("transfer of " + amounts.length, refused);
    } finally {
      System.out.println("finally");
    }
  }

  public static void main(String[] words) {
    transfer(30, 70);
    transfer(60, 50, 1);
    System.out.println("never printed");
  }
}
