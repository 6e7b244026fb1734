import atexit
import threading

lines = []


def writer():
    threading.main_thread().join(timeout=20)
    lines.append("written late")
    print("main thread alive:", threading.main_thread().is_alive())
    print(*lines, sep="\n")


atexit.register(lambda: print("atexit comes last,", len(lines), "line"))
thread = threading.Thread(target=writer, name="writer")
thread.start()
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("main is done")
{"started": thread.name}
