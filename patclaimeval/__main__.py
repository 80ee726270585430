"""Run the command of the library: `python -m patclaimeval`."""

import sys

from patclaimeval.cli import main

if __name__ == "__main__":
    sys.exit(main())
