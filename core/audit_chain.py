"""How an entry of the audit trail is chained to the one before it, the same on every database.

seal(n) = sha256(seal(n - 1) as hex, then each field of entry n as LENGTH:TEXT in UTF-8, or - for
none). The lengths make it one to one: no two different entries give the same bytes.
"""

from hashlib import sha256
from typing import Final

BEFORE_THE_FIRST: Final = ""
"""What stands in the place of a seal before the first one."""


def seal(previous: str, *fields: str | None) -> str:
    """Return the seal of an entry of these fields, 64 hexadecimal digits."""
    digest = sha256(previous.encode())
    for field in fields:
        if field is None:
            digest.update(b"-")
        else:
            text = field.encode()
            digest.update(b"%d:%s" % (len(text), text))
    return digest.hexdigest()
