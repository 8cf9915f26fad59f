"""Whether a call releases the interpreter's lock."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable


def turns_during(call: Callable[[], object]) -> int:
    """How many turns this thread has while another one makes the call."""
    done = threading.Event()

    def work() -> None:
        call()
        done.set()

    worker = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    # Python itself would not ask the worker for the lock in this time.
    sys.setswitchinterval(1000)
    try:
        worker.start()
        turns = 0
        while not done.is_set():
            time.sleep(0)
            turns += 1
    finally:
        sys.setswitchinterval(interval)
    worker.join()
    return turns
