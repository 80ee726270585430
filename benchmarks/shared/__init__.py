"""What the programs here share. Importing it puts the project on the path, wherever one runs."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]
