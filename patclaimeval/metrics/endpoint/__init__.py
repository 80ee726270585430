"""Asking a language model behind an OpenAI-compatible endpoint for whole numbers.

Confidential: whatever is scored here leaves the machine. Nothing is sent unless the site has set
an endpoint, and a request has named a metric that needs it.
"""

from patclaimeval.metrics.endpoint.address import Endpoint, missing_setting

__all__ = ["Endpoint", "missing_setting"]
