import asyncio


async def shell(command, data=None):
    process = await asyncio.create_subprocess_shell(
        command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(data)
    return process.returncode, out.decode().strip(), err.decode().strip()


async def main():
    results = await asyncio.gather(
        shell("echo one; exit 0"),
        shell("echo oops >&2; exit 4"),
        shell("tr a-z A-Z", b"shout\n"),
    )
    for result in results:
        print(result)


if __name__ == "__main__":
    asyncio.run(main())
