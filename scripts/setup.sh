#!/usr/bin/env bash
# Set up an environment with everything that Shoal's tests and demo need, on a machine with Python 3.11+ and nothing else.
set -euo pipefail
venv=$1

python=""
for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
  [ -n "$candidate" ] || continue
  if "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 14)))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "Shoal needs Python 3.11, 3.12 or 3.13; none was found. Install one, or name it: make PYTHON=/path/to/python3.12" >&2
  exit 2
fi

if [ ! -x "$venv/bin/python" ]; then
  echo "setting up $venv with $("$python" --version)"
  if ! "$python" -m venv "$venv" 2>/dev/null; then
    # Debian ships venv apart from python.
    rm -rf "$venv"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
      "$python" -m venv "$venv"
    else
      echo "this Python cannot make virtual environments; install its venv package (Debian: apt-get install python3-venv)" >&2
      exit 2
    fi
  fi
fi

echo "installing packages into $venv"
"$venv/bin/python" -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
"$venv/bin/python" -m shoal.precompile
