import shutil
import tempfile
from pathlib import Path

root = Path("project")
for name in ("src/app.py", "src/util/io.py", "docs/guide.md", "docs/empty.txt"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("" if "empty" in name else f"# {path.stem}\n" * 3)

for path in sorted(root.rglob("*")):
    size = path.stat().st_size if path.is_file() else "-"
    print(f"{path.as_posix():<24}{size}")

(root / "latest").symlink_to("docs/guide.md")
print("link reads:", (root / "latest").read_text().splitlines()[0])
print("python files:", sorted(p.name for p in root.glob("**/*.py")))
shutil.copytree(root / "src", root / "backup")
shutil.rmtree(root / "src")
print(sorted(p.name for p in root.iterdir()))

with tempfile.TemporaryDirectory(dir=".") as name:
    with tempfile.NamedTemporaryFile("w+", dir=name, suffix=".log") as handle:
        handle.write("scratch")
        handle.seek(0)
        print(handle.read(), Path(handle.name).suffix)
print("scratch gone:", not Path(name).exists())
print("home is here:", Path.home() == Path.cwd(), Path(__file__).name)
