"""Threads that take memory by turns take the same memory, not each its own."""

import subprocess
import sys

import pytest

from tests.paths import ROOT

TAKING_BY_TURNS = """
import ctypes, sys, threading
from runtime import heap

class Usage(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

if sys.argv[1] == "kept" and not heap.keep_in_one_piece():
    sys.exit("no glibc")
libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Usage
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]

def take():
    blocks = [libc.malloc(50_000) for _ in range(20)]
    libc.malloc(100)  # stays, as what is learned meanwhile does
    for block in blocks:
        libc.free(block)
    over.release()
    end.wait()

over, end = threading.Semaphore(0), threading.Event()
threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
    over.acquire()
print(libc.mallinfo2().arena)
end.set()
"""


def taken(how: str) -> int:
    """Bytes that the C library holds after eight threads, one after the other, took a megabyte and gave it back."""
    command = [sys.executable, "-c", TAKING_BY_TURNS, how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "no glibc" in done.stderr or "mallinfo2" in done.stderr:
        pytest.skip("not with this C library")
    assert not done.returncode, done.stderr
    return int(done.stdout)


def test_what_one_thread_gave_back_the_next_one_takes() -> None:
    assert taken("kept") < taken("as it is") - 2_000_000
