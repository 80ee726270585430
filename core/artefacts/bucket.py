"""What is asked of an S3 server, and what its answers mean; each failure becomes a sentence.

Calls end: a server that is not there within CONNECT_SECONDS, one that says nothing within
SILENCE_SECONDS, each tried twice. Whoever asks then is refused at once for PAUSE_SECONDS, so that
a dead store does not hold every thread of a web server.
"""

import base64
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import IO, Any, Final

from django.conf import settings

from core.artefacts.settings import StoreSettings
from core.errors import Refused, Unreachable
from core.files import DiskFull

CONNECT_SECONDS: Final = 3
SILENCE_SECONDS: Final = 10
TRIES: Final = 2
PAUSE_SECONDS: Final = 2
# From here on a file goes up in parts of this size: 10,000 of them are more than 600 GB.
PART_BYTES: Final = 64 * 1024**2
_ABSENT: Final = frozenset({"404", "NoSuchKey", "NoSuchUpload", "NotFound"})
_FULL: Final = frozenset({"507", "XMinioStorageFull", "QuotaExceeded", "EntityTooLarge"})
_FORBIDDEN: Final = frozenset(
    {"403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"}
)
_THERE_ALREADY: Final = frozenset({"412", "PreconditionFailed"})
# Two wrote at once, and neither may have won.
_AT_ONCE: Final = frozenset({"409", "ConditionalRequestConflict"})
_UNKNOWN: Final = frozenset({"501", "NotImplemented", "405", "MethodNotAllowed"})


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a listing has it; `version` is empty where the server has no versions."""

    key: str
    size: int
    changed_at: datetime
    version: str = ""


class Absent(Exception):
    """The store has no such object."""


class _Answer(Unreachable):
    """The server refused for a reason that may be no error: its code says which."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code


def store() -> StoreSettings | None:
    """Return where artefacts are shared, None where the data directory is all there is."""
    found: StoreSettings | None = settings.ARTEFACT_STORE
    return found


@lru_cache(maxsize=4)
def _client(of: StoreSettings, process: int) -> Any:
    """Return a client of this process: connections are no good to a child."""
    # It takes a third of a second to load, and only who shares artefacts needs it.
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client(
        "s3",
        endpoint_url=of.endpoint or None,
        region_name=of.region or None,
        aws_access_key_id=of.key_id or None,
        aws_secret_access_key=of.secret or None,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=SILENCE_SECONDS,
            retries={"total_max_attempts": TRIES, "mode": "standard"},
            # Servers that are not Amazon's know neither names of hosts nor trailing checksums.
            s3={"addressing_style": "path" if of.endpoint else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


# By store that did not answer, until when it is not asked again.
_silent: Final[dict[StoreSettings, float]] = {}


@contextmanager
def _asked(of: StoreSettings) -> Iterator[Any]:
    """Give the client; what it raises becomes Absent, DiskFull, Unreachable or _Answer."""
    from botocore.exceptions import BotoCoreError, ClientError

    if time.monotonic() < _silent.get(of, 0.0):
        raise Unreachable(_unreachable(of, "it did not answer a moment ago"))
    try:
        yield _client(of, os.getpid())
        _silent.pop(of, None)
    except ClientError as error:
        raise _meaning(of, _code_of(error)) from error
    except BotoCoreError as error:
        _silent[of] = time.monotonic() + PAUSE_SECONDS
        raise Unreachable(_unreachable(of, type(error).__name__)) from error


def has_answered(of: StoreSettings) -> bool:
    """Return whether the store answered when this process last asked it; nobody is asked now."""
    return of not in _silent


def _code_of(error: Any) -> str:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    return code if code and not code.isdigit() else status


def _meaning(of: StoreSettings, code: str) -> Exception:
    if code in _ABSENT:
        return Absent()
    if code in _FULL:
        return DiskFull(
            f"The artefact store {of.address} has no room ({code}); nothing was stored. Tell "
            "whoever runs this site, and try again once there is room."
        )
    if code in _THERE_ALREADY | _AT_ONCE | _UNKNOWN:
        return _Answer(_unreachable(of, code), code)
    if code == "NoSuchBucket":
        return Unreachable(
            f"The artefact store {of.address} has no such bucket; whoever runs this site has to "
            "make it, or to mend ARTEFACT_STORE."
        )
    if code in _FORBIDDEN:
        return Unreachable(
            f"The artefact store {of.address} refuses this site ({code}); whoever runs this site "
            "has to look at its credentials and at what they allow."
        )
    return Unreachable(_unreachable(of, code))


def _unreachable(of: StoreSettings, why: str) -> str:
    return f"The artefact store {of.address} cannot be reached now ({why}); try again later."


def size_of(of: StoreSettings, key: str) -> int:
    """Return the length of an object; raise Absent."""
    with _asked(of) as client:
        return int(client.head_object(Bucket=of.bucket, Key=key)["ContentLength"])


def write(
    of: StoreSettings, key: str, file: IO[bytes], size: int, sha256: str, *, renews: bool
) -> None:
    """Write an object whole or not at all; one that is there with this length stays as it is.

    Its key has its digest: what is there is the same bytes, whoever wrote it. With `renews` it is
    written again all the same, and is as young as one that was not there.
    """
    if size < PART_BYTES:
        try:
            _write_once(of, key, file, sha256, IfNoneMatch="*")
        except _Answer as answer:
            is_there = answer.code in _THERE_ALREADY | _AT_ONCE and _has(of, key, size)
            if is_there and not renews:
                return
            file.seek(0)
            _write_once(of, key, file, sha256)
    elif renews or not _has(of, key, size):
        _write_parts(of, key, file)
    if not _has(of, key, size):
        raise Unreachable(
            f"The artefact store {of.address} did not keep {key} as it was sent; try again, and "
            "tell whoever runs this site if it stays so."
        )


def _has(of: StoreSettings, key: str, size: int) -> bool:
    try:
        return size_of(of, key) == size
    except Absent:
        return False


def _write_once(of: StoreSettings, key: str, file: IO[bytes], sha256: str, **more: Any) -> None:
    checked = base64.b64encode(bytes.fromhex(sha256)).decode()
    with _asked(of) as client:
        client.put_object(
            Bucket=of.bucket, Key=key, Body=file, ChecksumSHA256=checked, **_sealed(of), **more
        )


def _write_parts(of: StoreSettings, key: str, file: IO[bytes]) -> None:
    """Write a large file part by part; where that breaks off the parts are deleted."""
    from boto3.s3.transfer import TransferConfig

    config = TransferConfig(
        multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, use_threads=False
    )
    with _asked(of) as client:
        client.upload_fileobj(file, of.bucket, key, ExtraArgs=_sealed(of), Config=config)


def _sealed(of: StoreSettings) -> dict[str, str]:
    """Return how the server is to encrypt what it stores."""
    if not of.encryption:
        return {}
    name, _, key = of.encryption.partition("kms:")
    if not name.startswith("aws:"):
        return {"ServerSideEncryption": of.encryption}
    return {"ServerSideEncryption": "aws:kms"} | ({"SSEKMSKeyId": key} if key else {})


def read(of: StoreSettings, key: str, block: int) -> Iterator[bytes]:
    """Yield the bytes of an object; raise Absent."""
    with _asked(of) as client:
        body = client.get_object(Bucket=of.bucket, Key=key)["Body"]
        try:
            yield from body.iter_chunks(block)
        finally:
            body.close()


def listed(of: StoreSettings, prefix: str) -> Iterator[Listed]:
    """Yield the objects whose keys begin so."""
    with _asked(of) as client:
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=of.bucket, Prefix=prefix)
        for page in pages:
            for one in page.get("Contents", ()):
                yield Listed(one["Key"], int(one["Size"]), one["LastModified"])


def probe(of: StoreSettings) -> None:
    """Raise Unreachable with the reason unless the store answers and may be listed."""
    with _asked(of) as client:
        client.list_objects_v2(Bucket=of.bucket, Prefix=of.prefix, MaxKeys=1)


def remove(of: StoreSettings, prefix: str) -> int:
    """Delete the objects whose keys begin so, their former versions and parts on the way, too.

    Returns how many objects and versions that were.
    """
    found = list(_versions(of, prefix))
    for one in found:
        version = {"VersionId": one.version} if one.version else {}
        with suppress(Absent), _asked(of) as client:
            client.delete_object(Bucket=of.bucket, Key=one.key, **version)
    remove_parts(of, prefix, None)
    return len(found)


def _versions(of: StoreSettings, prefix: str) -> Iterator[Listed]:
    """Yield all versions, and the marks of those deleted; the objects where there are none."""
    try:
        with _asked(of) as client:
            pages = client.get_paginator("list_object_versions").paginate(
                Bucket=of.bucket, Prefix=prefix
            )
            for page in pages:
                for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
                    yield Listed(
                        one["Key"], int(one.get("Size", 0)), one["LastModified"], one["VersionId"]
                    )
    except _Answer:
        yield from listed(of, prefix)


def remove_parts(of: StoreSettings, prefix: str, before: datetime | None) -> int:
    """Delete the parts of uploads that broke off before a moment, None for all; return how many."""
    try:
        with _asked(of) as client:
            pages = client.get_paginator("list_multipart_uploads").paginate(
                Bucket=of.bucket, Prefix=prefix
            )
            found = [
                {"Key": one["Key"], "UploadId": one["UploadId"]}
                for page in pages
                for one in page.get("Uploads", ())
                # Not every server heeds the prefix.
                if one["Key"].startswith(prefix) and (before is None or one["Initiated"] < before)
            ]
    except (Absent, _Answer):
        return 0  # a server that does not list them has none that it does not end itself
    for one in found:
        # Absent: it was completed or deleted meanwhile.
        with suppress(Absent), _asked(of) as client:
            client.abort_multipart_upload(Bucket=of.bucket, **one)
    return len(found)


class DamagedObject(Refused):
    """An object does not have the digest that its name says."""
