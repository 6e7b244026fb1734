# Installs the files in /work/packages with pip and without an index. Its last word on standard
# error, when it cannot, is shown to who wanted them; its value says how much there is.

# Archives are built by programs that pip starts.
os.environ["PYTHONPATH"] = os.pathsep.join(WHEELS)
pip("install", "--no-index", "--no-build-isolation", "--no-compile", "--no-warn-script-location",
    "--target", PLACE, *FILES)
sizes = [os.path.getsize(os.path.join(folder, name))
         for folder, _, names in os.walk(PLACE) for name in names]
{"files": len(sizes), "bytes": sum(sizes)}
