import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

sealed interface Expr permits Num, Var, Op {}

record Num(double value) implements Expr {}
record Var(String name) implements Expr {}

record Op(Kind kind, Expr left, Expr right) implements Expr {
  enum Kind {
    ADD, SUBTRACT, MULTIPLY;
    final String sign = List.of(" + ", " - ", " * ").get(ordinal());
    double of(double left, double right) {
      return switch (this) {
        case ADD -> left + right;
        case SUBTRACT -> left - right;
        case MULTIPLY -> left * right;
      };
    }
  }

  static Op from(Kind kind, Deque<Expr> stack) {
    var right = stack.pop();
    return new Op(kind, stack.pop(), right);
  }
}

class Calculator {
  static double value(Expr expr, double x) {
    if (expr instanceof Num num) return num.value();
    if (expr instanceof Op op) return op.kind().of(value(op.left(), x), value(op.right(), x));
    return x;
  }

  static String text(Expr expr, int rank) {
    if (expr instanceof Num num) return String.valueOf(num.value());
    if (expr instanceof Var variable) return variable.name();
    var op = (Op) expr;
    int own = op.kind() == Op.Kind.MULTIPLY ? 2 : 1;
    var inner = text(op.left(), own) + op.kind().sign + text(op.right(), own + 1);
    return own < rank ? "(" + inner + ")" : inner;
  }

  public static void main(String[] words) {
    Deque<Expr> stack = new ArrayDeque<>();
    for (String word : words) {
      stack.push(switch (word) {
        case "+" -> Op.from(Op.Kind.ADD, stack);
        case "-" -> Op.from(Op.Kind.SUBTRACT, stack);
        case "*" -> Op.from(Op.Kind.MULTIPLY, stack);
        case "x" -> new Var(word);
        default -> new Num(Double.parseDouble(word));
      });
    }
    System.out.println(text(stack.peek(), 0));
    for (double x : new double[] {0, 1, 2.5}) System.out.println(x + ": " + value(stack.peek(), x));
    System.out.println(new Num(1).equals(new Num(1.0)) + " " + new Num(0.5));
  }
}
