"""Run the command of the library: `python -m patclaimeval`."""

from patclaimeval.cli import main

main()
