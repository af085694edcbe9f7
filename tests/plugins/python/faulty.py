"""Goes wrong as its option says"""

import ctypes
import os
import signal
import sys
import time

TENSORS = "buffer"
FEATURES = ("causal",)
OPTIONS = {"how": "raising"}


def attend(q, k, v, *, out, options):
    how = options["how"]
    if how == "raising":
        raise ValueError("no tiles left")
    if how == "crashing":
        print("about to crash", file=sys.stderr)
        ctypes.string_at(0)
    if how == "exiting":
        sys.exit(3)
    if how == "ending":
        os._exit(4)
    if how == "abandoning":  # its connection with it
        if os.fork() == 0:
            time.sleep(60)
        os._exit(5)
    if how == "hanging":
        time.sleep(1000)
    if how == "terminating":
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(1000)
    if how == "returning":
        return [1]
    if how == "writing":
        q.data[0] = 0
    # "leaving": nothing is written
