"""The pane of context beside claims, and the page of its own that it is without a script.

Whoever shows it has asked before whether the reader may see the claims of the reference. What is
looked for is posted: words of claims stand in no address.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from annotator.context.files import PictureGone
from annotator.context.forms import DRAWINGS, TEXT, ContextForm
from annotator.context.queries import StoredContext, picture_of, stored_context
from annotator.context.rules import Paragraphs, Piece, Term, pieces_of, search_spans, terms_in
from annotator.models import Drawing, Reference
from patclaimeval.plurals import counted

A_PAGE: Final = 100
PNG: Final = "image/png"


@dataclass(frozen=True, slots=True)
class Beside:
    """What context stands beside: the reference, claim sets by their names, and addresses.

    `title` is what the reader knows the reference by; `back` is the page with the claims. The
    drawings are below `url`, by their numbers.
    """

    reference: Reference
    title: str
    claims: Sequence[tuple[str, str]]
    url: str
    back: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One paragraph as it is shown; `part` names its part where that begins."""

    place: int
    label: str
    is_heading: bool
    pieces: tuple[Piece, ...]
    part: str
    is_wanted: bool

    @property
    def names_part(self) -> bool:
        """Whether it is the heading of its part itself."""
        text = "".join(piece.text for piece in self.pieces)
        return self.is_heading and text.strip().lower() == self.part


@dataclass(frozen=True, slots=True)
class Text:
    """The paragraphs that are shown, of those that have what was looked for."""

    shown: tuple[Shown, ...]
    found: int
    hits: int
    page: int
    pages: int
    is_searched: bool

    @property
    def sentence(self) -> str:
        """How many paragraphs have what was looked for."""
        verb = "has" if self.found == 1 else "have"
        return f"{counted(self.found, 'paragraph')} {verb} it, {counted(self.hits, 'time')} in all."

    @property
    def is_paged(self) -> bool:
        return self.pages > 1

    @property
    def following(self) -> int:
        """The number of the next page, 0 after the last."""
        return self.page + 1 if self.page < self.pages else 0


def show_context(request: HttpRequest, beside: Beside) -> HttpResponse:
    """Show what was asked for: the pane alone where a script asks, else a page around it."""
    stored = stored_context(beside.reference)
    if stored is None:
        raise Http404
    form = ContextForm(request.POST) if request.method == "POST" else ContextForm({})
    is_valid = form.is_valid()
    asked = form.cleaned_data if is_valid else {}
    is_part = request.headers.get("HX-Request") == "true"
    context = {
        "beside": beside,
        "form": form,
        "is_part": is_part,
        "paragraph_count": len(stored.paragraphs),
        "drawing_count": len(stored.drawings),
        **_view(stored, beside, asked),
    }
    if not is_valid:
        # The beginning is shown, and what was typed stays where it was.
        context |= {"q": form.typed("q"), "term": form.typed("term")}
    name = "_context" if is_part else "context"
    status = form.status if request.method == "POST" else 200
    answer = render(request, f"annotator/context/{name}.html", context, status=status)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def show_drawing(reference: Reference, number: int) -> HttpResponse:
    """Give one drawing as a picture; 404 where there is none."""
    try:
        png = picture_of(reference, number)
    except PictureGone as damage:
        raise Http404 from damage
    if png is None:
        raise Http404
    return HttpResponse(png, content_type=PNG)


def _view(stored: StoredContext, beside: Beside, asked: dict[str, Any]) -> dict[str, Any]:
    wanted, term = asked.get("q", ""), asked.get("term", "")
    view = asked.get("view") or (TEXT if stored.paragraphs else DRAWINGS)
    if (asked.get("find") or asked.get("at")) and stored.paragraphs:
        view = TEXT
    if view == DRAWINGS and stored.drawings:
        number = min(asked.get("sheet") or 1, len(stored.drawings))
        return {"view": DRAWINGS, "q": wanted, "term": term, **_sheet(stored.drawings, number)}
    paragraphs = Paragraphs([one.text for one in stored.paragraphs])
    groups = _groups(beside.claims, paragraphs)
    if asked.get("at"):
        # Among its neighbours: nothing is left out then.
        text = _neighbours(stored, asked["at"] - 1)
        return {"view": TEXT, "q": "", "term": "", "text": text, "term_groups": groups}
    text = _searched(stored, paragraphs, wanted, term, asked.get("page") or 1)
    return {"view": TEXT, "q": wanted, "term": term, "text": text, "term_groups": groups}


def _sheet(drawings: Sequence[Drawing], number: int) -> dict[str, Any]:
    return {
        "drawings": drawings,
        "sheet": drawings[number - 1],
        "before": number - 1,
        "after": number + 1 if number < len(drawings) else 0,
    }


def _groups(
    claims: Iterable[tuple[str, str]], paragraphs: Paragraphs
) -> list[tuple[str, list[Term]]]:
    """Return the terms of each claim set, those of an earlier one left out of the later ones."""
    seen: set[str] = set()
    groups = []
    for name, text in claims:
        terms = [term for term in terms_in(text, paragraphs) if term.text not in seen]
        seen.update(term.text for term in terms)
        if terms:
            groups.append((name, terms))
    return groups


def _searched(
    stored: StoredContext, paragraphs: Paragraphs, wanted: str, term: str, page: int
) -> Text:
    """Return a page of the paragraphs that have both what was searched for and the term."""
    places: Iterable[int] = range(len(stored.paragraphs))
    if term:
        places = paragraphs.having(term)
    spans = {place: paragraphs.spans(place, term) if term else [] for place in places}
    if wanted.strip():
        found = {place: search_spans(stored.paragraphs[place].text, wanted) for place in spans}
        spans = {place: _merged(spans[place] + own) for place, own in found.items() if own}
    pages = max(1, -(-len(spans) // A_PAGE))
    page = min(page, pages)
    chosen = list(spans)[(page - 1) * A_PAGE : page * A_PAGE]
    return Text(
        tuple(_shown(stored, chosen, spans)),
        found=len(spans),
        hits=sum(map(len, spans.values())),
        page=page,
        pages=pages,
        is_searched=bool(term or wanted.strip()),
    )


def _neighbours(stored: StoredContext, place: int) -> Text:
    place = min(place, len(stored.paragraphs) - 1)
    page = place // A_PAGE + 1
    count = len(stored.paragraphs)
    chosen = range((page - 1) * A_PAGE, min(page * A_PAGE, count))
    shown = tuple(_shown(stored, chosen, {}, place))
    return Text(shown, count, 0, page, -(-count // A_PAGE), is_searched=False)


def _shown(
    stored: StoredContext,
    places: Iterable[int],
    spans: dict[int, list[tuple[int, int]]],
    wanted: int = -1,
) -> Iterable[Shown]:
    part = ""
    for place in places:
        one = stored.paragraphs[place]
        yield Shown(
            place + 1,
            one.label,
            one.is_heading,
            tuple(pieces_of(one.text, spans.get(place, []))),
            one.part if one.part != part else "",
            place == wanted,
        )
        part = one.part


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that meet as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
