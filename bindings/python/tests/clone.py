"""What a fresh clone has: its tables alone, whatever a user has made in the folder of the source."""

import atexit
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
# A copy of the tables, and of what the examples read beside them.
CLONE = Path(tempfile.mkdtemp(prefix="lasca-clone-"))
TABLES = CLONE / "tables"

atexit.register(shutil.rmtree, CLONE, ignore_errors=True)
TABLES.mkdir()
for line in (ROOT / "tables" / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
    shutil.copy(ROOT / "tables" / line.split()[1], TABLES)
shutil.copytree(ROOT / "tests" / "data", CLONE / "tests" / "data")
