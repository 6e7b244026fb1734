import logging
import sys

logging.basicConfig(
    level=logging.INFO, stream=sys.stderr, format="%(levelname)-7s %(name)s: %(message)s"
)
log = logging.getLogger("pipeline")


def total(items):
    log.info("starting with %d items", len(items))
    result = 0
    for item in items:
        try:
            result += int(item)
        except ValueError:
            log.warning("item %r is not a number, skipped", item)
            log.debug("not shown")
    log.info("done")
    return result


print("total:", total(["4", "x7", "38"]))
