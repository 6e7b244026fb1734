import asyncio
from contextvars import ContextVar, copy_context

request = ContextVar("request", default="none")
lines = []


def note(text):
    lines.append(f"[{request.get()}] {text}")


async def inner():
    await asyncio.sleep(0)
    note("inner")


async def handle(name):
    request.set(name)
    note("begin")
    await inner()
    child = asyncio.create_task(inner())
    request.set(name + "!")
    await child
    note("end")


async def main():
    await asyncio.gather(handle("first"), handle("second"))
    note("main")


asyncio.run(main())
for name in ("first", "second"):
    print([line for line in lines if name in line])
print(lines[-1], len(lines))

token = request.set("outer")
copy = copy_context()
copy.run(request.set, "copied")
print(request.get(), copy[request], request in copy)
request.reset(token)
print(request.get(), token.var is request, token.old_value is token.MISSING)
try:
    request.reset(token)
except RuntimeError:
    print("a token works once")
