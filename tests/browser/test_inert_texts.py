"""Stored text is text on every page: it runs nothing, asks for nothing, adds nothing (P24)."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from django.conf import settings as project
from django.db import connection
from django.urls import reverse
from playwright.sync_api import BrowserContext, Error, Page

from annotator import audit_log
from annotator.campaigns.members.services import invite
from annotator.campaigns.services import close_campaign
from annotator.models import User
from annotator.rating.services import flag_candidate, skip_assignment
from annotator.reliability.services import carry_out_reliability, request_reliability
from annotator.templatetags import claim_words
from patclaimeval.claims.invisible import find_invisible
from scoring.datasets.freezing.imports import import_dataset
from scoring.erasures.services import ask_erasure
from scoring.quadruplets import SplitPlan
from tests.amounts import IS_THOROUGH
from tests.browser.conftest import Enter
from tests.browser.pages import VISITORS, readable
from tests.browser.payloads import PAYLOADS, Planting, shown_as
from tests.guards.blindness.states import Scenario, furnish
from tests.scoring.conftest import dataset_rows
from tests.soak.tally import Tally, tally

__all__ = ["tally"]

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.promise("P24")]
SCALE: Final = int(os.environ.get("PROMISES_SCALE", "1"))
# PostgreSQL keeps to the lengths of columns, SQLite gives every text all payloads at once.
IS_UNLIMITED: Final = connection.vendor == "sqlite"
BEGINNINGS: Final = (0,) if SCALE == 1 or IS_UNLIMITED else tuple(range(0, len(PAYLOADS), 8))
# With the policy off, what escapes the template runs; with it on, the browser reports what it was.
ROUNDS: Final = [(beginning, "off") for beginning in BEGINNINGS] + [(0, "on")] * (SCALE > 1)
NewContext = Callable[..., BrowserContext]
SHOWN: Final = re.compile(r"zq(\d+)\(")
LISTEN: Final = """window.runs = [];
window.ran = (n) => { runs.push(`ran(${n})`); };
document.addEventListener("securitypolicyviolation", (event) => {
  runs.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
});"""
# Elements that no page of ours has, attributes that none has, addresses that are not ours.
FOREIGN: Final = """() => {
  const found = [...runs];
  // A report that is saved as a file has its styles and its policy in its head.
  const inside = "script:not([src]), body style, meta[http-equiv=refresh]";
  const none = "iframe object embed base math video source img animate marquee hx-partial";
  for (const one of document.querySelectorAll(none.replaceAll(" ", ","))) {
    // The mark in the bar is ours; where it leads is looked at below.
    if (!one.matches("img.mark[src^='/static/']")) {
      found.push(`<${one.localName}>`);
    }
  }
  for (const one of document.querySelectorAll(inside)) {
    found.push(one.outerHTML.slice(0, 80));
  }
  for (const one of document.querySelectorAll("*")) {
    for (const {name, value} of one.attributes) {
      const isOdd = /^on|zq|^(ping|srcdoc|style)$|^(data-)?hx-on/.test(name);
      const leads = /^((data-)?hx-(get|post|put|patch|delete)|href|src|action|formaction)$/;
      if (isOdd || (leads.test(name) && new URL(value, location).origin !== location.origin)) {
        found.push(`${name}="${value.slice(0, 60)}" of <${one.localName}>`);
      }
      if (leads.test(name) && value === "/zq") { found.push(`${name}="${value}"`); }
    }
  }
  return found;
}"""
# Whatever a page holds, shown or not: its text, its title, what its fields and attributes hold.
# A chart cuts claims into cells: each is a text by itself that ends with a quotation mark of ours.
TEXTS: Final = """() => {
  let rest = "";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    rest += node.parentElement.closest(".chart-table") ? "" : node.data;
  }
  const cells = [...document.querySelectorAll(".chart-table :is(th, td)")];
  return [document.title, rest, ...cells.map((cell) => `${cell.textContent}\u201d`),
    ...[...document.querySelectorAll("input, textarea")].map((one) => one.value),
    ...[...document.querySelectorAll("*")].flatMap((one) =>
      [...one.attributes].filter(({value}) => value.includes("zq")).map(({value}) => value)),
  ].filter((text) => text.includes("zq"));
}"""


def whole(payload: str) -> re.Pattern[str]:
    """Return what finds a payload as a page may show it.

    Line breaks of a page are spaces; the preview of an import shows the codes of what is hidden.
    """
    hidden = {span.start for span in find_invisible(payload)}
    signs = [
        f"(?:{re.escape(sign)}|U\\+{ord(sign):04X})" if place in hidden else re.escape(sign)
        for place, sign in enumerate(payload)
    ]
    return re.compile("".join(signs).replace("\\ ", r"\s+"))


WHOLE: Final = [whole(f"zq{n}({text}){n}qz") for n, text in enumerate(PAYLOADS)]


class Reader:
    """Somebody who opens pages and notes what of a text was more than text."""

    def __init__(self, page: Page, site: str) -> None:
        self.page, self.site = page, site
        self.faults: list[str] = []
        self.pages = 0
        self.shown: set[int] = set()
        page.add_init_script(LISTEN)
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._asked(request.url))

    def opens(self, path: str) -> bool:
        """Open a page and read it; return whether there was one."""
        answer = self.page.goto(self.site + path)
        assert answer and answer.status < 500, path
        if answer.status == 200:
            self.reads(path)
            if self.page.url != answer.url:
                self.faults.append(f"{path}: the page left by itself for {self.page.url}")
        return answer.status == 200

    def unpacks(self, path: str, html: str) -> None:
        """Read what is no page by itself: a part of one, or a file that is saved."""
        self.page.set_content(html)
        self.reads(path)

    def reads(self, path: str) -> None:
        self.pages += 1
        try:
            foreign, texts = self.page.evaluate(FOREIGN), self.page.evaluate(TEXTS)
        except Error:
            self.faults.append(f"{path}: the page left by itself")
            return
        self.faults += [f"{path}: {fault}" for fault in foreign]
        for text in (inside for one in texts for inside in _texts(one)):
            self.faults += [f"{path}: not as it is stored: {odd!r}" for odd in self._odd(text)]

    def _odd(self, text: str) -> Iterator[str]:
        for found in SHOWN.finditer(text):
            if WHOLE[int(found[1])].match(text, found.start()):
                self.shown.add(int(found[1]))
            elif not text.endswith("…") and not _is_cut(text[found.start() :], int(found[1])):
                yield text[found.start() : found.start() + 120]

    def _dialog(self, dialog: Any) -> None:
        if dialog.type == "beforeunload":
            # The rating page asks this itself while what was typed is not stored yet.
            dialog.accept()
            return
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, url: str) -> None:
        asked = urlsplit(url)
        if asked[:2] != urlsplit(self.site)[:2] or asked.path == "/zq":
            self.faults.append(f"asked for {url}")


def _is_cut(text: str, number: int) -> bool:
    """Return whether a payload is there, letter by letter, as far as an end that a page gives it.

    An ellipsis, as lists show long texts, or the quotation mark behind words that are quoted.
    """
    found = (text.partition(end) for end in ("…", "\u201d"))
    return any(end and shown_as(number).startswith(shown) for shown, end, _ in found)


def _texts(text: str) -> Iterator[str]:
    """Yield a text, or the texts within it where it is JSON that a script reads."""
    try:
        inside = json.loads(text)
    except ValueError:
        inside = text
    rest = [inside]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list | dict):
            rest += one.values() if isinstance(one, dict) else one


@pytest.fixture
def planting(
    transactional_db: None, settings: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> Planting:
    """Give what plants payloads, beginning where the test asks for it."""
    settings.DATA_DIR = tmp_path
    return Planting(getattr(request, "param", 0), is_unlimited=IS_UNLIMITED and SCALE > 1)


@pytest.fixture
def scenario(planting: Planting) -> Scenario:
    """A campaign with everything in it; every stored text of the site holds payloads."""
    scenario = furnish("zqhere", "ruled")
    one, admin = scenario.people["one"], scenario.people["admin"]
    scenario.people["boss"] = User.objects.create(username="zqhereboss", is_superuser=True)
    flag_candidate(assignment=scenario.assignment("one"), reason_code="other", reason="zqhereflag")
    skip_assignment(
        assignment=scenario.other_open("peer"), reason_code="other", reason="zqhereskip"
    )
    ask_erasure(reference=scenario.claims.second, asked_by=admin, reason="zqhereerasure")
    carry_out_reliability(request_reliability(campaign=scenario.campaign).pk)
    for campaign in (scenario.campaign, None):
        audit_log.record(
            actor=one,
            campaign=campaign,
            action="campaign.closed",
            object_type="campaign",
            object_id=planting.payloads_for("object", 40),
            details={"reason": planting.payloads_for("a reason in the trail", None)},
        )
    # The file of a version is sealed: its texts are in it from the beginning.
    rows = [
        replace(
            row, reference=f"1. A {planting.payloads_for('a row', None)} cup.", reference_id=f"r{n}"
        )
        for n, row in enumerate(dataset_rows(2))
    ]
    version = import_dataset(
        name="inert", rows=rows, plan=SplitPlan("file"), campaign=scenario.campaign
    ).version
    scenario.measured = replace(scenario.measured, version=version)
    planting.plant()
    return scenario


def look_around(reader: Reader, scenario: Scenario, who: str, seen: set[str]) -> None:
    """Read the first page that each route has for somebody, but those that they have seen."""
    for route, path, html, is_page in readable(scenario, who, but=seen):
        seen.add(route)
        if is_page:
            assert reader.opens(path)
        else:
            reader.unpacks(path, html)


@pytest.mark.parametrize(("planting", "policy"), ROUNDS, indirect=["planting"])
def test_stored_texts_do_nothing_but_stand_there_for_every_role(
    scenario: Scenario,
    planting: Planting,
    new_context: NewContext,
    enter: Enter,
    site: str,
    tally: Tally,
    policy: str,
) -> None:
    reader = Reader(new_context(bypass_csp=policy == "off").new_page(), site)
    once: set[str] = set()
    # A page that several roles have is read as the admin's only, unless everything is tried.
    seen = {who: set() if IS_THOROUGH else once for who in VISITORS}
    visitors = sorted(VISITORS, key=lambda who: who != "admin")
    for who in visitors:
        enter(reader.page.context, scenario.people[who])
        look_around(reader, scenario, who, seen[who])
    # Its token is no id, by which the others are found.
    token = invite(by=scenario.people["admin"], campaign=scenario.campaign, role="reader")
    assert reader.opens(reverse("annotator:invitation", kwargs={"token": token}))
    refused_rating(reader, scenario, enter)
    # What is shown afterwards only: own results, names, rulings.
    reason = planting.payloads_for("why it is closed", 500)
    close_campaign(campaign=scenario.campaign, reason=reason, closed_by=scenario.people["admin"])
    for who in visitors:
        enter(reader.page.context, scenario.people[who])
        look_around(reader, scenario, who, seen[who] - {"annotator:rulings"})
    tally.tried(payloads=len(PAYLOADS), stored_texts=planting.fields, pages=reader.pages)
    assert not reader.faults, "\n".join(reader.faults)
    assert reader.shown == set(range(len(PAYLOADS)))


def refused_rating(reader: Reader, scenario: Scenario, enter: Enter) -> None:
    """Send payloads on a form that is refused, which shows them again."""
    enter(reader.page.context, scenario.people["one"])
    assert reader.opens(reverse("annotator:rate", kwargs={"pk": scenario.other_open("one").pk}))
    typed = " ".join(shown_as(number) for number in range(len(PAYLOADS)))
    reader.page.get_by_label("Comment").fill(typed)
    with reader.page.expect_navigation():
        reader.page.get_by_role("button", name="Submit rating").click()
    assert reader.page.get_by_label("Comment").input_value() == typed
    reader.reads("a refused rating")


def spoilt(template: str) -> list[Any]:
    """Return settings in which one template trusts every text."""
    source = (project.BASE_DIR / "templates" / template).read_text("utf-8")
    trusting = re.sub(r"\s*}}", "|safe }}", source)
    loaders = [
        ("django.template.loaders.locmem.Loader", {template: trusting}),
        "django.template.loaders.filesystem.Loader",
        "django.template.loaders.app_directories.Loader",
    ]
    (plain,) = project.TEMPLATES
    given: Any = plain["OPTIONS"]
    return [{**plain, "APP_DIRS": False, "OPTIONS": {**given, "loaders": loaders}}]


def test_a_template_that_trusts_a_text_is_found_out(
    scenario: Scenario, new_context: NewContext, enter: Enter, site: str, settings: Any
) -> None:
    settings.TEMPLATES = spoilt("annotator/adjudication/rulings.html")
    reader = Reader(new_context(bypass_csp=True).new_page(), site)
    enter(reader.page.context, scenario.people["admin"])
    reader.opens(reverse("annotator:rulings", kwargs={"slug": scenario.campaign.slug}))
    faults = "\n".join(reader.faults)
    assert "asked for https://elsewhere.invalid" in faults


def test_claims_that_are_put_together_unescaped_are_found_out(
    scenario: Scenario,
    new_context: NewContext,
    enter: Enter,
    site: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claim_words, "escape", str)
    # The policy on: what the browser refuses was asked for all the same.
    reader = Reader(new_context().new_page(), site)
    enter(reader.page.context, scenario.people["one"])
    reader.opens(reverse("annotator:rate", kwargs={"pk": scenario.assignment("one").pk}))
    # Which payloads lie in a claim, and so what is found, depends on the order of the tables.
    assert reader.faults


def test_what_the_browser_refuses_a_page_is_found_out(new_context: NewContext, site: str) -> None:
    reader = Reader(new_context().new_page(), site)
    assert reader.opens("/login/") and not reader.faults
    reader.page.evaluate("""() => new Promise((done) => {
      document.addEventListener("securitypolicyviolation", () => done(), {once: true});
      document.body.append(Object.assign(new Image(), {src: "https://elsewhere.invalid/zq.png"}));
    })""")
    reader.reads("/login/")
    assert "policy: img-src https://elsewhere.invalid" in "\n".join(reader.faults)
