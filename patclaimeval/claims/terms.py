"""The surface reading of noun phrases in a claim: which term stands after which article."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

_DEFINITE = ("the", "said")
_ARTICLE = re.compile(
    r"\b(?P<article>the|said|an?|each|at least one|one or more|a plurality of|a pair of"
    r"|two|three|four)\s+(?=[A-Za-z])",
    re.IGNORECASE,
)
# "The at least one valve" is as definite as "the valve".
_QUANTITY = re.compile(
    r"(?:at\s+least\s+(?:one|two)|one\s+or\s+more|plurality\s+of|pair\s+of|two|three|four)\s+"
    r"(?=[A-Za-z])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_NEXT_WORD = re.compile(r"\s([A-Za-z][A-Za-z0-9-]*)")
# Words that end a noun phrase: prepositions, conjunctions, verbs, adverbs and adjectives that
# stand after their noun, as far as they are common in claims.
_STOP_LIST = """
a about above according across adapted adjacent after against agree all along also an and any apart
are around as at available away backward backwards based be because been before being below between
beyond both but by can cannot capable cause causes characterised characterized comprise comprises
comprising configured constitute constitutes contain containing contains correspond corresponding
corresponds could define defines defining depend depends differ different differs disposed do does
downstream downward downwards due during each every either encoding engages engaging equal extend
extending extends faces following follows for forming forward forwards from further given greater
has have having hold holding holds however if in include includes including indicate indicates
indicating into inward inwards is it its larger less lies located made may meets might more must
near no nor not of off on once one only onto opens operable opposite or out outside outward outwards
over parallel past per perpendicular produce produces provide provides providing receive receives
receiving relative remain remains representing represents rests resulting said selected several
shall should similar smaller so such suitable than that the their them then thereafter therebetween
thereby therefore therefrom therein thereof thereon thereto therewith these they this those through
throughout to together toward towards under unless until up upon upstream upward upwards used uses
using varies vary via was were when where whereby wherein whereupon whether which while whose will
with within without would you we
"""
STOP_WORDS = frozenset(_STOP_LIST.split())
# After its noun an adverb ends a phrase; these end in "-ly" and are nouns.
NOUNS_IN_LY = frozenset(
    ["anomaly", "assembly", "belly", "family", "fly", "monopoly", "ply", "poly", "reply", "supply"]
)
_NOUNS_IN_ING_LIST = """
bearing bushing casing ceiling coating housing lining opening ring spring string tubing winding wing
wiring
"""
NOUNS_IN_ING = frozenset(_NOUNS_IN_ING_LIST.split())
# Nouns whose plural no suffix shows, and nouns that end like a plural.
_IRREGULAR_WORDS = """
always:always analyses:analysis antennae:antenna apparatuses:apparatus appendices:appendix
axes:axis bacteria:bacterium bias:bias biases:bias bogies:bogie buses:bus chassis:chassis
criteria:criterion dies:die feet:foot foci:focus formulae:formula fungi:fungus gases:gas
halves:half hypotheses:hypothesis indices:index knives:knife leaves:leaf lens:lens lenses:lens
lies:lie loci:locus loaves:loaf matrices:matrix means:means media:medium men:man mice:mouse
nuclei:nucleus phenomena:phenomenon radii:radius series:series shelves:shelf species:species
spectra:spectrum stimuli:stimulus teeth:tooth ties:tie valves:valve vertices:vertex viruses:virus
women:woman
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_WORDS.split())
# Verbs of claims whose plain form and form in "-s" are hardly ever nouns.
_VERB_LIST = """
abut accept acquire activate actuate adhere adjoin adjust affect align allow apply arrive assemble
assign associate attach authenticate avoid become belong bind calculate coincide collapse collect
combine communicate compare compress compute conduct confirm connect consist converge convert convey
cool cooperate couple create deactivate decide decode decrease deflect deform deliver deny depress
describe detach detect determine direct disconnect disengage displace dissolve distribute diverge
download elapse emit employ enable encircle enclose encode engage ensure enter establish evaluate
examine exceed execute exert exhale exhibit exist expand expose express extract fall flex float flow
function generate grow happen heat identify illuminate impinge improve increase inhale inhibit
initiate insert instruct interact interconnect interlock intersect invoke join judge lack leaves
maintain match melt merge modify move notify obtain occupy occur open operate originate overlap
penetrate perform permit possess prevent proceed prohibit propagate protect protrude reach react
reduce reflect remove replace reside resist resolve respond restore restrict retain retract retrieve
reveal rise rotate satisfy seem send separate serve skip slide specify stop store stretch supply
surround swell switch taper tend terminate translate transmit traverse trigger undergo update upload
utilize write
"""
_VERBS = frozenset(_VERB_LIST.split())
# Of these, the forms in "-s" may be plurals too.
_NOUNS_TOO_LIST = """
associate collapse cool decrease download express fall float flow function heat increase judge lack
match melt overlap permit reach slide stop store stretch supply switch taper trigger update upload
"""
_NOUNS_TOO = frozenset(_NOUNS_TOO_LIST.split())
# What may open the object of a verb, and so shows that the word before is one.
_DETERMINER_LIST = """
a an any it its itself one said that the their them themselves these this those two whether
"""
_DETERMINERS = frozenset(_DETERMINER_LIST.split())
# Adjectives that stand after their noun when one of the small words follows.
_ADJECTIVE_LIST = """
coaxial common complementary concentric dependent distal equivalent external flush free full
independent indicative integral intermediate internal normal orthogonal present prior proximal
proximate ready responsive sensitive specific subject transverse unique
"""
_ADJECTIVES = frozenset(_ADJECTIVE_LIST.split())
_AFTER_ADJECTIVES = frozenset(["to", "with", "of", "from", "among", "between", "on", "in"])
_NOUNS_IN_ABLE = frozenset(["cable", "consumable", "table", "timetable", "variable", "wearable"])
_PARTICIPLE_LIST = """
bound built chosen drawn driven fed found frozen held kept known sent shown taken worn wound woven
written
"""
_PARTICIPLES = frozenset(_PARTICIPLE_LIST.split())
# "CMTSs", in lower case.
_PLURAL_ACRONYM = re.compile(r"[bcdfghjklmnpqrtvwxz]ss$")
_LONGEST_TERM = 6
_LONGEST_CACHED, _MOST_CACHED = 40, 16_384
T = TypeVar("T")


class _Remembered(dict[str, T]):
    """What a function says of words; a dictionary, because most words have been asked before."""

    def __init__(self, function: Callable[[str], T]) -> None:
        self._function = function

    def __missing__(self, word: str) -> T:
        found = self._function(word)
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _MOST_CACHED:
                self.clear()
            self[word] = found
        return found


def cached(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember what a function says of a word, but not of a text that is one long word."""
    return _Remembered(function).__getitem__


@dataclass(frozen=True, slots=True)
class Mention:
    """One noun phrase with its article; start and end are the span of article and term."""

    article: str
    term: str
    start: int
    end: int

    @property
    def is_definite(self) -> bool:
        """Whether the article claims that the term is already known ("the", "said")."""
        return self.article in _DEFINITE

    @property
    def heads(self) -> tuple[str, ...]:
        """The words that may be the noun meant, in the singular: the last word of each phrase."""
        return tuple(phrase.rsplit(" ", 1)[-1] for phrase in self.phrases)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The noun phrases that the term may be, words in the singular, the longest first.

        The whole term; and what stands before a possible verb in "-s" or "-ing", because "the
        pressure sensor rises" is read as one term of three words.
        """
        return _phrases(self.term)


@cached
def _phrases(term: str) -> tuple[str, ...]:
    words = term.split(" ")
    ends = [
        place
        for place in range(1, len(words))
        if words[place].endswith(("s", "ing")) and words[place] not in NOUNS_IN_ING
    ]
    folded = [singular(word) for word in words]
    return tuple(" ".join(folded[:end]) for end in [len(words), *reversed(ends)])


# Antecedents and second names are both read from them, one after the other: once is enough.
@lru_cache(maxsize=256)
def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the noun phrases of `text` that stand after an article, in order.

    Input: any text. Output: mentions whose spans are offsets into `text`. A term is read as up
    to four words after the article, ending before a stop word, an adverb or a participle without
    a noun of its own, or punctuation: a surface proxy, not a grammar. "The at least one valve" is
    a mention of "valve" with the article "the".
    """
    found: list[Mention] = []
    taken = 0
    for match in _ARTICLE.finditer(text):
        if match.start() < taken:
            continue
        article = match["article"].lower()
        quantity = _QUANTITY.match(text, match.end()) if article in _DEFINITE else None
        taken = quantity.end() if quantity else match.end()
        term, end = read_term(text, taken)
        if term:
            found.append(Mention(article, term, match.start(), end))
    return tuple(found)


def read_term(text: str, position: int) -> tuple[str, int]:
    """Return the term that begins at a place of `text`, in lower case, and where it ends.

    Up to six words; "" where no term begins there.
    """
    words: list[str] = []
    end = position
    while len(words) < _LONGEST_TERM and (match := _WORD.match(text, position)):
        word = match.group().lower()
        if word in STOP_WORDS or (words and _ends_phrase(words[-1], word, text, match.end())):
            break
        words.append(word)
        end = match.end()
        position = end + 1 if text[end : end + 1] in (" ", "\n") else len(text)
    return " ".join(words), end


def _ends_phrase(before: str, word: str, text: str, end: int) -> bool:
    """Whether a word in second place or later stands after the noun of its phrase.

    It may be an adverb, a participle or adjective without a noun of its own ("the signal received
    by", not "the lightly doped layer"), or the verb of the sentence ("the valve opens").
    """
    following = _NEXT_WORD.match(text, end)
    follower = following[1].lower() if following else ""
    if is_adverb(word):
        return True
    if (word.endswith("ed") and len(word) > 4 and not word.endswith("eed")) or (
        word in _PARTICIPLES
    ):
        return not follower or follower in STOP_WORDS or follower.endswith("ly")
    if is_adjective(word, follower):
        return True
    if word.endswith(("able", "ible")) and word not in _NOUNS_IN_ABLE:
        return follower in STOP_WORDS
    return _is_verb(before, word, follower)


def _is_verb(before: str, word: str, follower: str) -> bool:
    """Whether a word after a noun is a verb: by a list, or by the object that follows it."""
    has_object = follower in _DETERMINERS
    if word.endswith("ing"):
        if word in NOUNS_IN_ING:
            return False
        return has_object or (_is_listed(word[:-3]) and (not follower or follower in STOP_WORDS))
    if word in _IRREGULAR:
        return False
    one = singular(word)
    if one != word and singular(before) != before:
        return has_object or one in _VERBS
    if one != word:
        # The third person: "opens", "stores the file"; not "the control stores".
        return has_object or (one in _VERBS and one not in _NOUNS_TOO)
    if singular(before) == before:
        return False
    return has_object or (word in _VERBS and (word not in _NOUNS_TOO or follower in STOP_WORDS))


def is_adjective(word: str, follower: str) -> bool:
    """Return whether a word is an adjective behind its noun: "a region intermediate between"."""
    return word in _ADJECTIVES and follower in _AFTER_ADJECTIVES


def is_adverb(word: str) -> bool:
    """Return whether a word is an adverb in "-ly", and no noun as "assembly"."""
    return word.endswith("ly") and word.rsplit("-", 1)[-1] not in NOUNS_IN_LY


def is_verb(word: str) -> bool:
    """Return whether a word is a form of a verb of claims, as "opens" of "open"."""
    return word in _VERBS or singular(word) in _VERBS


def is_verb_form(word: str, follower: str) -> bool:
    """Return whether a word without an article before it is a verb rather than a noun.

    Inputs: the word in lower case, and the one behind it ("" at the end of a sentence).
    """
    return (
        word.endswith(("ed", "ing", "ly")) or singular(word) in _VERBS or follower in _DETERMINERS
    )


def _is_listed(stem: str) -> bool:
    """Whether what stands before "-ing" is a verb of the list: "rotat", "cutt", "send"."""
    return stem in _VERBS or stem + "e" in _VERBS or stem[:-1] in _VERBS


@cached
def singular(word: str) -> str:
    """Fold a plain English plural ("valves", "boxes", "batteries") to its singular.

    By suffix, but for a few irregular nouns. A word that is no plural comes back as it is.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if _PLURAL_ACRONYM.search(word):
        # "CMTS" itself is folded to "cmt".
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
