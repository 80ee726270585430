"""The load that the application promises: the numbers of docs/limits.md, each defined here alone.

Up to them it keeps its promises of speed and memory. What would go beyond is refused with a
sentence that names the limit, or gets slower where a refusal would cost somebody their work.
"""

import re
from typing import Final

from patclaimeval.claims.parsing import parse_claims

ACCOUNTS: Final = 300
"""People whose account is active."""
CAMPAIGNS: Final = 30
"""Open campaigns."""
REFERENCES: Final = 2_000
"""References of one campaign."""
CANDIDATES: Final = 50
"""Candidates of one reference; repeats and sentinels, which the application adds, not counted."""
CLAIMS: Final = 200
"""Claims of one claim set."""
WORDS: Final = 30_000
"""Words of one claim set, divided by white space."""
CHARACTERS: Final = 200_000
"""Characters of one claim set: as many as 30,000 words have, for writing without white space."""
RATINGS: Final = 100_000
"""Ratings on a site."""
QUADRUPLETS: Final = 100_000
"""Rows of one dataset version."""
UPLOAD_BYTES: Final = 50 * 1024 * 1024
"""Bytes of one uploaded file."""
CLAIM_SETS: Final = 20_000
"""Claim sets of one import, references and candidates."""

_DIGITS = re.compile(r"\d+")


def claim_set_problem(text: str) -> str:
    """Return in one sentence how a claim set is larger than the limits, or ""."""
    if len(text) > CHARACTERS:
        return f"{len(text):,} characters; a claim set has at most {CHARACTERS:,}"
    if (words := len(text.split())) > WORDS:
        return f"{words:,} words; a claim set has at most {WORDS:,}"
    # To read claims takes a hundred times as long as to count what could be their numbers.
    if len(_DIGITS.findall(text)) > CLAIMS and (claims := _claims(text)) > CLAIMS:
        return f"{claims:,} claims; a claim set has at most {CLAIMS:,}"
    return ""


def _claims(text: str) -> int:
    return sum(one.number is not None for one in parse_claims(text))
