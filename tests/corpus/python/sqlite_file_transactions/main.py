import os
import sqlite3

PATH = "bank.db"


def balance(db, name):
    return db.execute("SELECT cents FROM account WHERE name = ?", (name,)).fetchone()[0]


def transfer(db, source, target, cents):
    with db:
        db.execute("UPDATE account SET cents = cents - ? WHERE name = ?", (cents, source))
        if balance(db, source) < 0:
            raise ValueError(f"{source} cannot pay {cents}")
        db.execute("UPDATE account SET cents = cents + ? WHERE name = ?", (cents, target))


db = sqlite3.connect(PATH)
with db:
    db.execute("CREATE TABLE account (name TEXT PRIMARY KEY, cents INTEGER)")
    db.executemany("INSERT INTO account VALUES (?, ?)", [("ann", 10_000), ("bob", 500)])

transfer(db, "ann", "bob", 2_500)
try:
    transfer(db, "bob", "ann", 9_999)
except ValueError as error:
    print("refused:", error)
db.close()

db = sqlite3.connect(PATH)
for name, cents in db.execute("SELECT name, cents FROM account ORDER BY name"):
    print(f"{name}: {cents / 100:.2f}")
print("pragma:", db.execute("PRAGMA integrity_check").fetchone()[0])
db.close()
print("file kept:", os.path.getsize(PATH) > 0)
