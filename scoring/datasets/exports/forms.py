"""What an export is asked for, and the form of the licence."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import QueryDict

from core.errors import Refused
from core.forms import PlainTextField, RefusableForm
from scoring.datasets.exports.queries import CARD_FORMATS
from scoring.datasets.exports.services import LONGEST
from scoring.formats.export_formats import ALL, CANONICAL

YES_OR_NO: Final = {"0": False, "1": True}
_DEFAULTS: Final = {"format": CANONICAL, "split": ALL, "gzip": "0"}


def export_wish(query: QueryDict) -> dict[str, Any]:
    """Return the keywords of the exporting service; raise Refused by field for what is wrong."""
    sent = _given(query, _DEFAULTS)
    if sent["gzip"] not in YES_OR_NO:
        _refuse("gzip", f"The value is one of {', '.join(YES_OR_NO)}.")
    return {
        "file_format": sent["format"],
        "split": sent["split"],
        "is_gzipped": YES_OR_NO[sent["gzip"]],
    }


def card_wish(query: QueryDict) -> str:
    """Return which card is wanted; raise Refused by field for what is wrong."""
    wanted = _given(query, {"format": CARD_FORMATS[0]})["format"]
    if wanted not in CARD_FORMATS:
        _refuse("format", f"The format is one of {', '.join(CARD_FORMATS)}.")
    return wanted


def _given(query: QueryDict, defaults: Mapping[str, str]) -> dict[str, str]:
    for name, values in query.lists():
        if name not in defaults:
            _refuse(name[:100], f"Only {', '.join(defaults)} can be asked for.")
        if len(values) > 1:
            _refuse(name, "Give it once.")
    return {name: query.get(name, usual) for name, usual in defaults.items()}


def _refuse(field: str, sentence: str) -> None:
    raise Refused(f"{field}: {sentence}", {field: [sentence]})


class LicenceForm(RefusableForm):
    """The name of a licence."""

    licence = PlainTextField(
        max_length=LONGEST,
        help_text="Such as CC BY 4.0; it stands on the card and leaves with every download.",
    )
