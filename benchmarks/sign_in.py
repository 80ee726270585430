"""Measures whether the time of an answer reveals which names have an account.

    benchmarks/sign_in.py [--tries 200]

Wrong passwords are sent to the sign-in page in turn for names with an account and for names
without one, each name and address once, so that no limit is met. Runs in this process on a fresh
database, through every middleware and with the password hasher of `make run`. The medians may
differ by 20 ms at most before a guesser over a network could read names from them.
"""

import argparse
import statistics
import time

from shared.hosts import own_database
from shared.measuring import machine, spread

KINDS = ("an account", "no account")


def main() -> None:
    """Fill, try, print both medians and their difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=200)
    options = parser.parse_args()
    with own_database():
        measure(options.tries)


def measure(tries: int) -> None:
    """Try each kind of name in turn."""
    from django.contrib.auth.hashers import make_password

    from annotator.models import User

    # One hash for all: what is checked costs the same, and is made once.
    hashed = make_password("the right password of many parts")
    User.objects.bulk_create(
        User(username=f"known-{number}", password=hashed) for number in range(tries)
    )
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    try_in("warm-up", 0)
    for number in range(tries):
        for kind, name in zip(KINDS, (f"known-{number}", f"stranger-{number}"), strict=True):
            took[kind].append(try_in(name, number))
    print(f"{tries} wrong passwords each; {machine()}")
    for kind, seconds in took.items():
        print(f"{kind}: {spread(seconds)} ms (median / p95 / max)")
    known, unknown = (statistics.median(took[kind]) for kind in KINDS)
    print(f"the medians differ by {abs(known - unknown) * 1000:.1f} ms")


def try_in(name: str, number: int) -> float:
    """Send a wrong password for a name from an address of its own; return the seconds it took."""
    from django.test import Client

    client = Client(REMOTE_ADDR=f"10.{len(name)}.{number // 250}.{number % 250 + 1}")
    start = time.perf_counter()
    answer = client.post("/login/", {"username": name, "password": "a wrong password of parts"})
    seconds = time.perf_counter() - start
    if answer.status_code not in {200, 422} or "sessionid" in client.cookies:
        raise SystemExit(f"{name} was answered with {answer.status_code}, not with a refusal")
    return seconds


if __name__ == "__main__":
    main()
