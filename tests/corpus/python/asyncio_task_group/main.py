import asyncio

events = []


async def step(name, *, fail=None, wait=0):
    try:
        for _ in range(wait):
            await asyncio.sleep(0)
        if fail:
            raise fail
        events.append(name)
        return name
    except asyncio.CancelledError:
        events.append(f"{name} cancelled")
        raise
    finally:
        events.append(f"{name} over")


async def main():
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(step("slow", wait=1000))
            group.create_task(step("bad", fail=ValueError("v"), wait=3))
            group.create_task(step("worse", fail=OSError("o"), wait=3))
    except* ValueError as found:
        print("values:", found.exceptions)
    except* OSError as found:
        print("system:", found.exceptions)
    print(sorted(events))

    mixed = await asyncio.gather(step("a"), step("b", fail=KeyError("k")), return_exceptions=True)
    print(mixed)

    inner = asyncio.create_task(step("shielded", wait=5))
    outer = asyncio.ensure_future(asyncio.shield(inner))
    await asyncio.sleep(0)
    outer.cancel("enough")
    try:
        await outer
    except asyncio.CancelledError:
        print("outer cancelled:", outer.cancelled(), inner.cancelled())

    never = asyncio.create_task(asyncio.Event().wait(), name="never")
    done, pending = await asyncio.wait({never, inner}, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), [task.get_name() for task in pending])
    never.cancel()
    try:
        await asyncio.wait_for(asyncio.sleep(60), timeout=0.01)
    except asyncio.TimeoutError:
        print("timed out", never.cancelled())
    return [await step("fast"), inner.result()]


asyncio.run(main())
