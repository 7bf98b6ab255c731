"""Writes ATTRIBUTION.md from the corpus's SOURCES.md: python3 attribution.py SOURCES.md MODEL_FOLDER"""

import re
import sys
from pathlib import Path

from corpus import EXCLUDED_SOURCES

HEAD = """# Attribution

The vectors of this model were learned from texts of these repositories, at these commits. The texts themselves are not part of it.
Each licence was read in the repository. Texts under CC BY 4.0 or CC BY 3.0 were changed: cut into passages, paired, and reduced to statistics of word pieces.

| Source (commit) | Licence | Attribution |
|---|---|---|
"""


def main(sources: Path, folder: Path) -> None:
    rows = []
    for line in sources.read_text(encoding="utf8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 6 or not re.fullmatch(r"[0-9a-f]{12,40}", cells[1]) or cells[0] in EXCLUDED_SOURCES:
            continue
        source, commit, _paths, licence, _file, attribution = cells[:6]
        rows.append(f"| {source} ({commit}) | {licence} | {attribution} |")
    (folder / "ATTRIBUTION.md").write_text(HEAD + "\n".join(sorted(rows, key=str.lower)) + "\n", encoding="utf8")
    print(len(rows), "sources")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
