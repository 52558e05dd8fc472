"""Write dist/sbom.cdx.json: what a user's environment holds once Shoal and its extras are installed (CycloneDX)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = "pandas,sklearn,geo,sign"


def run(*command: str | Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")


def main() -> None:
    out = ROOT / "dist" / "sbom.cdx.json"
    out.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT)
        wheel = next(place.glob("*.whl"))
        venv.create(place / "env", with_pip=True)
        python = place / "env" / "bin" / "python"
        pip = (python, "-m", "pip", "install", "-q", "--disable-pip-version-check")
        run(*pip, "-c", ROOT / "constraints.txt", f"{wheel}[{EXTRAS}]")
        run(sys.executable, "-m", "cyclonedx_py", "environment", python, "--output-format", "JSON", "-o", out)
    components = json.loads(out.read_text(encoding="utf-8"))["components"]
    print(f"{out.relative_to(ROOT)}: {len(components)} components")


if __name__ == "__main__":
    main()
