import asyncio


async def producer(queue, count):
    for number in range(1, count + 1):
        await queue.put(number)
    for _ in range(3):
        await queue.put(None)


async def worker(queue, results):
    while (number := await queue.get()) is not None:
        await asyncio.sleep(0.001)
        results[number] = number * number


async def main():
    queue, results = asyncio.Queue(maxsize=4), {}
    await asyncio.gather(producer(queue, 20), *(worker(queue, results) for _ in range(3)))
    try:
        async with asyncio.timeout(0.05):
            await asyncio.sleep(10)
    except TimeoutError:
        print("slow task was cancelled")
    return sum(results.values())


total = asyncio.run(main())
print("sum of squares:", total)
total
