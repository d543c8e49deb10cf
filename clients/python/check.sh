#!/usr/bin/env bash
# Checks the client of Python: the wheel, style, types and tests under the newest runtime, and the wheel under the oldest runtimes.
# TOOLRESULT_BINARY is the sidecar; without it, one is built. Environments are below .run/clients/python of the repository, and stay.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
run=$root/.run/clients/python
mkdir -p "$run"
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -z "${TOOLRESULT_BINARY:-}" ]; then
  (cd "$root" && go build -o "$run/toolresult" ./cmd/toolresult)
  export TOOLRESULT_BINARY=$run/toolresult
fi

# installed NAME: an environment with the pins of requirements/NAME.txt, made anew when they changed.
installed() {
  local venv=$run/venv-$1
  if ! cmp -s "requirements/$1.txt" "$venv/pins"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --requirement "requirements/$1.txt"
    cp "requirements/$1.txt" "$venv/pins"
  fi
}

installed check
bin=$run/venv-check/bin
rm -rf "$run/dist"
"$bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$run/dist" . # which generates src/toolresult/v1, too
"$bin/ruff" check --no-cache .
"$bin/ruff" format --no-cache --check .
"$bin/mypy" --cache-dir "$run/mypy"
PYTHONPATH=src "$bin/pytest" -p no:cacheprovider "$@"

for name in oldest frameworks newest; do
  installed "$name"
  "$run/venv-$name/bin/pip" install --quiet --no-deps --force-reinstall "$run"/dist/toolresult-*.whl
  "$run/venv-$name/bin/python" -W error tests/smoke.py
done
