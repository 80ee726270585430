"""The S3 bucket behind `core.storage`: django-storages with short timeouts and our errors.

Only STORAGES names this module, so boto3, which takes a third of a second to load, is imported only
where a bucket is set.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from s3transfer.exceptions import RetriesExceededError
from storages.backends.s3 import S3Storage

from core.errors import Unreachable

CONNECT_SECONDS: Final = 3
READ_SECONDS: Final = 10
ATTEMPTS: Final = 2
# Larger files are uploaded in parts.
PART_BYTES: Final = 64 * 1024**2


class Bucket(S3Storage):
    """A bucket of any S3 server. Every failure is `Unreachable`, a missing object is not."""

    def get_default_settings(self) -> dict[str, Any]:
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
            # Many servers other than Amazon's know no bucket as a host and no trailing checksum.
            s3={"addressing_style": "path" if settings.STORAGE_ENDPOINT else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        transfer = TransferConfig(
            multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, use_threads=False
        )
        options = {"client_config": config, "transfer_config": transfer}
        return {**super().get_default_settings(), **options}

    def _save(self, name: str, content: Any) -> str:
        with self._answering():
            return str(super()._save(name, content))

    def exists(self, name: str) -> bool:
        with self._answering():
            return bool(super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with self._answering():
            folders, files = super().listdir(name)
            return folders, files

    def download(self, name: str, file: IO[bytes]) -> None:
        """Write the bytes of an object to a file; raise FileNotFoundError if there is none."""
        with self._answering():
            self.bucket.download_fileobj(name, file, Config=self.transfer_config)

    def delete(self, name: str) -> None:
        """Delete all objects whose names begin so, with all versions and unfinished uploads."""
        with self._answering():
            for version in self._versions(name):
                version.delete()
        # Some servers answer 404 if there is none.
        with suppress(FileNotFoundError), self._answering():
            for upload in self.bucket.multipart_uploads.filter(Prefix=name):
                # Not every server applies the prefix.
                if upload.object_key.startswith(name):
                    upload.abort()

    def _versions(self, prefix: str) -> list[Any]:
        try:
            return list(self.bucket.object_versions.filter(Prefix=prefix))
        except ClientError as error:
            if _status(error) not in (405, 501):
                raise
            # This server keeps no versions.
            return list(self.bucket.objects.filter(Prefix=prefix))

    def probe(self) -> None:
        """Raise Unreachable unless the bucket can be listed."""
        with self._answering():
            list(self.bucket.objects.limit(1))

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if _status(error) == 404 and code != "NoSuchBucket":
                raise FileNotFoundError(code) from error
            raise self._unreachable(code) from error
        except (Boto3Error, BotoCoreError, RetriesExceededError) as error:
            raise self._unreachable(type(error).__name__) from error

    def _unreachable(self, why: str) -> Unreachable:
        return Unreachable(
            f"The storage bucket {self.bucket_name} cannot be used now ({why}). Try again later. "
            "If it stays so, whoever runs this site has to check that the storage server runs, "
            "accepts this site's credentials and has room."
        )


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
