"""Write dist/sbom.cdx.json: what a user's environment holds once Shoal and its extras are installed (CycloneDX)."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from check_wheel import ROOT, installed, run

EXTRAS = "pandas,sklearn,geo,sign"


def main() -> None:
    out = ROOT / "dist" / "sbom.cdx.json"
    out.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _, python = installed(Path(folder), EXTRAS)
        run(sys.executable, "-m", "cyclonedx_py", "environment", python, "--output-format", "JSON", "-o", out)
    components = json.loads(out.read_text(encoding="utf-8"))["components"]
    print(f"{out.relative_to(ROOT)}: {len(components)} components")


if __name__ == "__main__":
    main()
