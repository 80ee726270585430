"""The fixtures of all tests here."""

from tests.s3_servers import between, s3, shared, shared_between

__all__ = ["between", "s3", "shared", "shared_between"]
