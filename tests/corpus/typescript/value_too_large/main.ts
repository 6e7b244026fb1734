return "x".repeat(300 * 1024);
