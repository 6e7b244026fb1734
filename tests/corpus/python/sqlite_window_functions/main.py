import math
import sqlite3


class Product:
    def __init__(self):
        self.product = 1

    def step(self, number):
        self.product *= number

    def finalize(self):
        return self.product


db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
db.create_function("area", 1, lambda radius: round(math.pi * radius**2, 2), deterministic=True)
db.create_aggregate("product", 1, Product)
db.create_collation("backwards", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
db.executescript(
    """
    CREATE TABLE sale(id INTEGER PRIMARY KEY, day TEXT NOT NULL, amount INTEGER CHECK(amount > 0));
    INSERT INTO sale(day, amount) VALUES('Mon', 5), ('Tue', 7), ('Wed', 7), ('Thu', 3);
    """
)
print([tuple(row) for row in db.execute("SELECT product(amount), area(2) FROM sale")])
print([row["day"] for row in db.execute("SELECT day FROM sale ORDER BY day COLLATE backwards")])
ranks = "SELECT day, rank() OVER (ORDER BY amount DESC) place FROM sale ORDER BY place, id"
print([tuple(row) for row in db.execute(ranks)])
count = """
    WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib LIMIT 10)
    SELECT group_concat(a, ' ') FROM fib"""
print(db.execute(count).fetchone()[0])
try:
    db.execute("INSERT INTO sale(day, amount) VALUES(?, ?)", ("Fri", -1))
except sqlite3.IntegrityError as error:
    print(str(error).split(":")[0])
row = db.execute(
    "INSERT INTO sale VALUES(2, 'Tue', 9) ON CONFLICT(id) DO UPDATE SET amount = 8 RETURNING *"
).fetchone()
print(dict(row))
db.rollback()
running = """
    SELECT day, amount, sum(amount) OVER (ORDER BY id), amount - lag(amount) OVER (ORDER BY id)
    FROM sale ORDER BY id"""
[tuple(row) for row in db.execute(running)]
