"""Builds the wheel `patclaimeval` from the library's modules (docs/adr/0027).

Whatever lies elsewhere in the repository gets its place below `patclaimeval`, and the absolute
imports that name it are rewritten on the way.
"""

import re
import shutil
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

# Of packages that hold more than the library needs, the modules that it needs.
ONLY = {
    "patclaimeval.core": {"__init__", "claim_text", "errors", "files", "languages", "limitations"},
    "patclaimeval.metrics": {
        *("__init__", "base", "bleu", "languages", "meteor", "ngram", "rouge", "tokens"),
    },
}
RENAMED = (
    (r"\bscoring\.patclaimeval\b", "patclaimeval"),
    (r"\bscoring\.(agreement|metrics)\b", r"patclaimeval.\1"),
    (
        r"(?<![\w.])core\.(claim_text|errors|files|languages|limitations|statistics|text_io)\b",
        r"patclaimeval.core.\1",
    ),
)


class BuildLibrary(build_py):
    def find_package_modules(self, package, package_dir):
        found = super().find_package_modules(package, package_dir)
        return [one for one in found if one[1] in ONLY.get(package, {one[1]})]

    def build_module(self, module, module_file, package):
        outfile, copied = super().build_module(module, module_file, package)
        path = Path(outfile)
        text = path.read_text(encoding="utf-8")
        for old, new in RENAMED:
            text = re.sub(old, new, text)
        path.write_text(text, encoding="utf-8")
        return outfile, copied

    def run(self):
        super().run()
        # Beside the library here, not within it: the application's reports read it too.
        shutil.copy("scoring/published_agreement.csv", Path(self.build_lib, "patclaimeval"))


# Elsewhere than in the tree, where the leftovers of one build would enter the next wheel.
with tempfile.TemporaryDirectory(prefix="patclaimeval-build-") as aside:
    setup(
        cmdclass={"build_py": BuildLibrary},
        options={"build": {"build_base": aside}, "egg_info": {"egg_base": aside}},
    )
