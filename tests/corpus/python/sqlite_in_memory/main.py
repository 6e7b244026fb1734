import sqlite3

db = sqlite3.connect(":memory:")
db.executescript("""
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE invoice (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customer(id),
    amount REAL NOT NULL
);
""")
db.executemany("INSERT INTO customer VALUES (?, ?)", [(1, "Ada"), (2, "Grace"), (3, "Linus")])
db.executemany(
    "INSERT INTO invoice (customer_id, amount) VALUES (?, ?)",
    [(1, 40.0), (1, 25.0), (2, 120.5)],
)
rows = db.execute("""
    SELECT c.name, COUNT(i.id), COALESCE(SUM(i.amount), 0.0)
    FROM customer c LEFT JOIN invoice i ON i.customer_id = c.id
    GROUP BY c.id ORDER BY c.name
""").fetchall()
for name, count, amount in rows:
    print(f"{name:<6} {count} {amount:8.2f}")
rows
