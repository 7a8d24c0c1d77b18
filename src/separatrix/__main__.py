"""The way in: ``separatrix`` and ``python -m separatrix``.

All that can go wrong before the command line is loaded is dealt with here, so nothing is imported that takes time.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line on the arguments of the process, and leave with one of its exit codes."""
    signal.signal(signal.SIGINT, _stop)
    for standard in (0, 1, 2):
        try:
            os.fstat(standard)
        except OSError:  # closed: let no file that is opened later take its place
            os.open(os.devnull, os.O_RDWR)
    code = 2
    try:
        from .cli.app import main as run

        run()
    except SystemExit as left:
        code = int(left.code or 0)  # all is written by now
    except KeyboardInterrupt:
        _stop()
    except Exception as error:  # the installation is broken: the command line hears of all others itself
        os.write(2, f"Error: {type(error).__name__}: {error}\n".encode(errors="backslashreplace"))
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: leaving takes but a moment
    # Not sys.exit: as Python takes itself apart, a thread of Arrow's that still has bytes to give back may abort the
    # process, which has answered, with a code that says it failed: https://github.com/apache/arrow/issues/34314.
    os._exit(code)


def _stop(*_: object) -> None:
    """End at once: nothing is begun yet, or all is done."""
    os.write(2, b"Stopped.\n")
    os._exit(130)


if __name__ == "__main__":
    main()
