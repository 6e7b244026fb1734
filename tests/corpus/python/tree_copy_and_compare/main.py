import filecmp
import os
import shutil
import tempfile
from pathlib import Path

FILES = {"a.txt": "same", "sub/b.txt": "first", "sub/c.log": "log", "skip/d.txt": "d"}


def make(root):
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "link").symlink_to("a.txt")
    (root / "a.txt").chmod(0o640)


def walk(root, **options):
    for folder, folders, files in os.walk(root, **options):
        folders.sort()
        name = os.path.relpath(folder, root)
        yield f"{name}: {' '.join(sorted(files))}"


source, target = Path("source"), Path("target")
make(source)
shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("skip", "*.log"))
print(list(walk(source)), list(walk(target, topdown=False)), sep="\n")
print(oct((target / "a.txt").stat().st_mode & 0o777), os.readlink(target / "link"))

(target / "sub/b.txt").write_text("other")
(target / "new.txt").touch()
compared = filecmp.dircmp(source, target)
print(compared.left_only, compared.right_only, compared.subdirs["sub"].left_only)
print(filecmp.cmpfiles(source, target, ["a.txt", "sub/b.txt", "none"], shallow=False))

archive = shutil.make_archive("packed", "zip", source)
with tempfile.TemporaryDirectory(dir=".") as folder:
    shutil.unpack_archive(archive, folder)
    print(list(walk(folder)))
print(os.path.basename(archive), os.path.exists(folder))
shutil.move(target / "new.txt", target / "sub")
shutil.copyfile(source / "a.txt", "copy.txt")
print(sorted(os.listdir("target/sub")), Path("copy.txt").read_text())
shutil.rmtree(target)
try:
    shutil.rmtree(target)
except FileNotFoundError as error:
    print("gone:", error.filename)
