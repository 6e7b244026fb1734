import os
from pathlib import Path

ledger = Path("ledger.txt")
ledger.write_text("opening balance 10\n")
ledger.chmod(0o400)
Path("sealed").mkdir(mode=0o500)
print(ledger.read_text().strip(), os.access(ledger, os.R_OK), os.access(ledger, os.W_OK))
try:
    Path("sealed/new.txt").touch()
except PermissionError as error:
    print("refused:", error.filename, error.errno)
os.rename(ledger, "renamed.txt")
os.rename("renamed.txt", ledger)
print("renaming is a matter of the directory")

with ledger.open("a") as stream:
    stream.write("never written\n")
