"""How often passwords may be tried: guessing is slowed, and honest people are not locked out.

Three limits are asked of who signs in (docs/adr/0018): of the address, of the account from that
address, of the account from everywhere. A browser from which the account has signed in before has
a limit of its own instead, so that a guesser at the door keeps nobody from their work. What turns
out to be the right password is not counted at all.
"""

from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from annotator.models import User
from annotator.refusals import TooOften
from annotator.services import audit
from annotator.services.pace import Asked, Pace, give_back, seconds_in_words, take
from annotator.sign_in.names import account_of

# In any 60 seconds: 12 of an account, 10 of them from one address; 10 from a known browser.
OF_ACCOUNT: Final = Pace("sign-in account", 9, 20)
OF_ACCOUNT_THERE: Final = Pace("sign-in account and address", 7, 20)
OF_KNOWN_BROWSER: Final = Pace("sign-in browser", 7, 20)
# Names are tried, too: an office behind one address signs in at nine, and mistypes some.
OF_ADDRESS: Final = Pace("sign-in address", 60, 1)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A password that is about to be checked, for a name, from somewhere."""

    username: str
    address: str
    browser: str = ""
    """What a browser from which this account has signed in before is known by."""

    @property
    def limits(self) -> list[Asked]:
        account = account_of(self.username)
        if self.browser:
            return [(OF_KNOWN_BROWSER, f"{account} {self.browser}")]
        network = network_of(self.address)
        return [
            (OF_ADDRESS, network),
            (OF_ACCOUNT_THERE, f"{account} {network}"),
            (OF_ACCOUNT, account),
        ]


def begin(attempt: Attempt) -> None:
    """Count an attempt before the password is looked at, or raise TooOften.

    Names without an account are counted alike: the answer tells nobody which names there are.
    """
    if wait := take(attempt.limits):
        raise TooOften(
            "The password was tried too many times. Nothing is locked: "
            f"try again in {seconds_in_words(wait)}.",
            retry_after=wait,
        )


def forgive(attempt: Attempt) -> None:
    """Count an attempt no longer, as the password was right."""
    give_back(attempt.limits)


def record_wrong(attempt: Attempt) -> None:
    """Write down that a sign-in was refused, without what was typed as a name."""
    user = User.objects.filter(username=attempt.username).only("pk").first()
    audit.record(
        action="sign_in.refused", object_type="user", object_id=user.pk if user else "unknown"
    )


def record_right(user: User) -> None:
    """Write down that a person has signed in."""
    audit.record(actor=user, action="sign_in.accepted", object_type="user", object_id=user.pk)


def network_of(address: str) -> str:
    """Return whose address it is: of IPv6 one subscriber has 2 to the 64th."""
    with suppress(ValueError):
        read = ip_address(address)
        if isinstance(read, IPv6Address):
            return str(read.ipv4_mapped or f"{int(read) >> 64:x}::/64")
        return str(read)
    return "unknown"
