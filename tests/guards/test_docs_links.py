"""Relative links and pictures in the documentation lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(
    r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|<(?:img|a)[^>]+(?:src|href)=\"([^\"]+)\""
)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")


def documents() -> list[Path]:
    """Every Markdown file that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted(ROOT / name for name in listed.split("\0") if name and (ROOT / name).exists())


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, by the rule of common forges."""
    text = FENCE.sub("", document.read_text())
    titles = re.findall(r"^#+\s+(.*?)\s*#*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(document: Path) -> list[str]:
    """The links of one document that lead nowhere; other sites are not asked."""
    text = INLINE_CODE.sub("", FENCE.sub("", document.read_text()))
    broken = []
    for match in LINK.finditer(text):
        link = match[1] or match[2]
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        is_here = target.exists() and target.is_relative_to(ROOT.resolve())
        has_anchor = not anchor or target.suffix != ".md" or not is_here
        if not is_here or not (has_anchor or anchor in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(document) -> None:
    assert broken_links(document) == []


def test_a_broken_link_is_found(tmp_path) -> None:
    page = ROOT / "README.md"
    assert page.exists()
    broken = tmp_path / "page.md"
    broken.write_text(
        "[a](nowhere.md) ![b](no.png) [c](https://example.org) `[d](code.md)` [e](#no)"
    )
    assert broken_links(broken) == ["nowhere.md", "no.png", "#no"]
