"""An encoding that reads UTF-8 and nothing else, also where its caller asks it to replace the rest.

Django and DRF put U+FFFD in the place of each byte of a form that they cannot read, and go on.
"""

import codecs
from typing import Any, Final

UTF8_ONLY: Final = "utf-8-only"
NO_UTF8: Final = "It holds bytes that are no UTF-8, so that a part of its text cannot be read."


def _found(name: str) -> codecs.CodecInfo | None:
    # Names of encodings come here with each `-` as `_`.
    if name.replace("_", "-") != UTF8_ONLY:
        return None
    return codecs.CodecInfo(name=UTF8_ONLY, encode=codecs.utf_8_encode, decode=_read)


def _read(data: Any, errors: str = "strict") -> tuple[str, int]:
    return codecs.utf_8_decode(data, "strict", True)


codecs.register(_found)
