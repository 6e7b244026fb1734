import threading

result = None


def fetch(settings):
    global result
    result = settings["port"] + 1


thread = threading.Thread(target=fetch, args=({"host": "example"},), name="fetcher")
thread.start()
thread.join()
print("main goes on")
print("result:", result)
