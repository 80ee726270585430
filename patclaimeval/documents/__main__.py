"""Reads one document in a process of its own: `confined.py` starts it."""

from patclaimeval.documents.process import main

if __name__ == "__main__":
    main()
