"""Runs one command for the supervisor and takes its whole process group down with it.

    keeper.py COMMAND [ARGUMENT...]

Standard input is a socket whose other end only the supervisor holds, so the kernel closes it
however the supervisor dies. Reading its end is a death notice that cannot be missed and that
works alike on Linux and macOS. The keeper leads the group that the command and all its
descendants belong to: a web server's workers, which would outlive their master, end with it.
"""

import os
import signal
import subprocess
import sys
import threading
from types import FrameType


def end_group() -> None:
    """Kill the command, everything it started, and this process."""
    os.killpg(0, signal.SIGKILL)


def watch_supervisor() -> None:
    """Wait until the supervisor's end of the socket is closed; nothing is ever sent on it."""
    os.read(sys.stdin.fileno(), 1)
    end_group()


def main() -> None:
    """Run the command, pass a polite stop on to it, report its exit code, end the group."""
    if os.getpgid(0) != os.getpid():
        sys.exit("keeper.py is started by supervise.py, as the leader of its own group")
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

    def stop(_number: int, _frame: FrameType | None) -> None:
        command.terminate()

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=watch_supervisor, daemon=True).start()
    code = command.wait()
    try:
        os.write(sys.stdin.fileno(), str(code).encode())
    finally:  # the supervisor may be gone already
        end_group()


if __name__ == "__main__":
    main()
