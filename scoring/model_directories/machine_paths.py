"""Takes the paths of the machine that trained a model out of the papers that leave with it.

Standard library only.
"""

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from annotator.formats.strict_json import loads

PAPERS: Final = ("config.json", "encoder_config.json")
CARD: Final = "README.md"
_PATH: Final = re.compile(r"(/|~|\.{1,2}/|[A-Za-z]:[\\/]|\\\\).+")
# What transformers notes about where a configuration came from.
_ORIGIN: Final = "_name_or_path"


def without_paths(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that have to change, as they may leave; none where no path stands.

    Input: config.json, encoder_config.json and README.md of a model, as far as there are such.
    A path becomes its last part, which names a directory where the model is taken up again; the
    note of an encoder's origin goes.
    """
    changed: dict[str, bytes] = {}
    found: dict[str, str] = {}
    for name in PAPERS:
        if name in files:
            before = loads(files[name])
            after = _cleared(before, found)
            if after != before:
                text = json.dumps(after, indent=1, sort_keys=True, allow_nan=False)
                changed[name] = text.encode() + b"\n"
    card = files.get(CARD, b"").decode()
    # The longest first, as one path may be the beginning of another.
    for path in sorted(found, key=len, reverse=True):
        card = card.replace(path, found[path])
    if card.encode() != files.get(CARD, b""):
        changed[CARD] = card.encode()
    return changed


def _cleared(value: Any, found: dict[str, str]) -> Any:
    if isinstance(value, dict):
        _cleared(value.get(_ORIGIN), found)
        return {key: _cleared(inner, found) for key, inner in value.items() if key != _ORIGIN}
    if isinstance(value, list):
        return [_cleared(inner, found) for inner in value]
    if not isinstance(value, str) or not _PATH.fullmatch(value):
        return value
    kind = PureWindowsPath if "\\" in value else PurePosixPath
    found[value] = kind(value).name
    return found[value]
