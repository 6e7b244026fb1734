import importlib
import importlib.resources
import inspect
import runpy
import sys
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
package = Path("shop")
package.mkdir()
(package / "__init__.py").write_text("from .prices import price\n__all__ = ['price']\n")
(package / "prices.py").write_text("TABLE = {'tea': 3}\n\n\ndef price(name): return TABLE[name]\n")
(package / "__main__.py").write_text("import shop\ncost = shop.price('tea') * 2\nprint(__name__)\n")
(package / "data.txt").write_text("grün")
with zipfile.ZipFile("extra.zip", "w") as archive:
    archive.writestr("packed.py", "import __main__\nVERSION = 1\nhome = __main__.package.name\n")

import shop

print(shop.price("tea"), shop.price.__module__, [m for m in sorted(sys.modules) if "shop" in m])
print(runpy.run_module("shop", run_name="shop_runs")["cost"])
print(importlib.resources.files("shop").joinpath("data.txt").read_text("utf-8"))
sys.path.append("extra.zip")
packed = importlib.import_module("packed")
print(packed.home, "extra.zip" in packed.__file__)

counter = Path("counter.py")
counter.write_text("runs = globals().get('runs', 0) + 1\n")
import counter as module

seen = [module.runs, importlib.reload(module).runs]
del sys.modules["counter"]
seen.append(importlib.import_module("counter").runs)


def visible(x):
    return x + 1


print(inspect.getsource(visible).split("\n")[1].strip(), "|", __name__, visible.__module__)
sys.modules["blocked"] = None
for name in ("blocked", "shop.nothing"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print("no", error.name)
seen
