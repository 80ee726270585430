"""The page that asks before an act which gives work away or ends something.

A form sends such an act without `confirmed`. The answer is a page that says what the act would do,
with its count, and until when it can be taken back; the form of that page sends it once more, with
`confirmed` and what the act needs, such as a reason. Programs are not asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.forms import RefusableForm

CONFIRMED: Final = "confirmed"
Asked = TypeVar("Asked", bound=RefusableForm)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What an act would do, as its page says it.

    `count` is how many of what, `effect` what becomes of them, and `undo` how long and how it can
    be taken back, or that it cannot. `act` and `leave` are the labels of the button that does it
    and of the one that leads `back`. `sent` are fields to be sent once more. With `has_typed` the
    latter button sends the form to the same address, as `leave`, so that nothing typed is lost.
    `subjects` name what the act is about, each with a label and the words by which a reader knows
    it; they are not part of the question, which is the title of the page: claim text is never in
    a title.
    """

    question: str
    count: str
    effect: str
    undo: str
    act: str
    leave: str
    back: str
    sent: Sequence[tuple[str, str]] = ()
    has_typed: bool = False
    subjects: Sequence[tuple[str, str]] = ()


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the page of the act was seen, and its button pressed."""
    return CONFIRMED in request.POST


def asked_form(kind: type[Asked], request: HttpRequest) -> Asked:
    """Return the form of the page: before it is confirmed, filled in with what is sent along."""
    return kind(request.POST) if is_confirmed(request) else kind(initial=request.POST.dict())


def ask(
    request: HttpRequest, about: Confirmation, form: RefusableForm | None = None
) -> HttpResponse:
    """Answer with the page, and with what is wrong in its form."""
    if form is not None:
        form.focus_error()
    context = {"about": about, "form": form}
    status = form.status if form else 200
    return render(request, "components/confirm.html", context, status=status)


def about_cancelling(job: str, percent: int, *, again: str, back: str) -> Confirmation:
    """Return what is asked before a job is cancelled; `again` says how it is had all the same."""
    return Confirmation(
        question=f"Cancel this {job}?",
        count=f"{percent} %",
        effect=f"of the {job} is done, and is lost. It stops within seconds.",
        undo=f"This cannot be taken back. {again}",
        act=f"Cancel the {job}",
        leave="Let it go on",
        back=back,
    )
