"""Prints how much of the packages a tier of tests covered, by branches; fails where it is less.

`make coverage` runs it over what it measured. Some parts owe all of it to `make test-all`: what is
wrong there lets strangers in, forges records, loses work or takes strangers' files.
"""

import sys
from io import StringIO
from pathlib import Path
from typing import Final

from coverage import Coverage
from coverage.exceptions import NoDataError

ROOT: Final = Path(__file__).resolve().parent.parent
LEAST: Final = {"test": 93.0, "test-all": 98.0}
# Of these every branch; a pattern that meets no file is refused, so that none is lost by a move.
WHOLE: Final = {
    "permissions": (
        "annotator/access/matrix.py",
        "annotator/access/gate.py",
        "annotator/access/api.py",
        "annotator/access/scopes.py",
    ),
    "audit": (
        "core/audit_chain.py",
        "annotator/audit_log.py",
        "annotator/audit_pages/services.py",
        "annotator/audit_pages/queries.py",
    ),
    "leases": (
        "core/jobs/*.py",
        "annotator/assignments/services.py",
    ),
    "import": (
        "annotator/imports/services.py",
        "annotator/imports/*/services.py",
        "annotator/imports/preferences/texts.py",
        "annotator/formats/claim_files.py",
        "annotator/formats/claims_*.py",
        "patclaimeval/text_io/streams.py",
        "patclaimeval/text_io/strict_json.py",
    ),
    "files": (
        "scoring/training/model_versions/files.py",
        "scoring/files.py",
        "core/bucket.py",
        "core/storage.py",
    ),
}


def files_of(patterns: tuple[str, ...]) -> list[str]:
    """Return the files; SystemExit where a pattern meets none."""
    found: list[str] = []
    for pattern in patterns:
        files = sorted(str(path) for path in ROOT.glob(pattern))
        if not files:
            sys.exit(f"no file is {pattern}: name its new place in {Path(__file__).name}")
        found += files
    return found


def share_of(measured: Coverage, files: list[str] | None) -> tuple[float, str]:
    """Return the share in percent and the lines that show it; of what never ran it is 0."""
    lines = StringIO()
    try:
        return measured.report(include=files, file=lines, precision=2), lines.getvalue()
    except NoDataError:
        return 0.0, "Nothing of it was run.\n"


def main(tier: str = "test-all") -> None:
    measured = Coverage()
    measured.load()
    short = []
    for part, patterns in WHOLE.items():
        share, lines = share_of(measured, files_of(patterns))
        print(f"{part:<13} {share:6.2f} % of 100")
        if share < 100 and tier == "test-all":
            print(lines)
            short.append(part)
    share, lines = share_of(measured, None)
    print(lines)
    print(f"{'both packages':<13} {share:6.2f} % of {LEAST[tier]:.0f}")
    if share < LEAST[tier]:
        short.append("both packages")
    if short:
        sys.exit(f"less than promised: {', '.join(short)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
