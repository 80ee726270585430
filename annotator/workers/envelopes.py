"""What a message comes in, looked at before kombu or Celery take anything in it for granted."""

import logging
from base64 import b64decode
from typing import Any, Final

from kombu.utils.json import loads

logger = logging.getLogger(__name__)
# Ours hold a key and have some hundred bytes.
MOST_BYTES: Final = 64 * 1024
_TEXTS: Final = ("body", "content-type", "content-encoding")


def is_envelope(found: object) -> bool:
    """Tell whether kombu can make a message of this: texts, headers, and properties with a tag."""
    if not isinstance(found, dict):
        return False
    headers, properties = found.get("headers"), found.get("properties")
    return (
        all(isinstance(found.get(name), str) for name in _TEXTS)
        # kombu unpacks what says that it is compressed, before anybody looks at it.
        and isinstance(headers, dict)
        and "compression" not in headers
        and isinstance(properties, dict)
        and isinstance(properties.get("delivery_tag"), str)
        and isinstance(info := properties.get("delivery_info"), dict)
        and all(isinstance(info.get(name), str) for name in ("exchange", "routing_key"))
        and _is_body(found["body"], properties.get("body_encoding"))
    )


def _is_body(body: str, encoding: object) -> bool:
    if len(body) > MOST_BYTES or encoding not in ("base64", "utf-8", None):
        return False
    try:
        return encoding != "base64" or bool(b64decode(body, validate=True))
    except ValueError:
        return False


def read_envelope(data: bytes) -> dict[str, Any] | None:
    """Return what is in an envelope, and None where it is none of ours."""
    if len(data) > MOST_BYTES:
        return None
    try:
        found = loads(data)
    # kombu's reader knows marked texts as dates, numbers and bytes; each fails in its own way.
    except Exception:  # noqa: BLE001
        return None
    return found if is_envelope(found) else None


def tell_refused(queue: str, what: str) -> None:
    """Log one line of a message that is none; nothing of it is quoted."""
    logger.error("broker, queue %s: %s; jobs lose nothing, they are announced again", queue, what)
