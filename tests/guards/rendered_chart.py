"""Lints and renders deploy/chart for values from standard input, as JSON; asks no cluster.

In a process of its own: the library is Helm itself, with threads of its own that no test forks.
"""

import json
import sys
from typing import Any

from helm_python import Chart, HelmRenderError, HelmValuesError, lint


def answer(folder: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the manifests by file with what the linter says, or why the values are refused."""
    with Chart.load(folder) as chart:
        try:
            files = chart.render(values, name="site", namespace="claims")
        except (HelmRenderError, HelmValuesError) as error:
            return {"refused": str(error)}
    # An icon is recommended, which is no fault.
    messages = lint(folder, values, strict=True)["messages"]
    return {"files": files, "faults": [one for one in messages if one["severity"] > 1]}


if __name__ == "__main__":
    json.dump([answer(sys.argv[1], values) for values in json.load(sys.stdin)], sys.stdout)
