#!/bin/sh
# Make the environment $2 with exactly what the lock $3 names, using the uv at $1. Safe to run again.
set -eu
uv=$1 venv=$2 lock=$3
[ -n "$uv" ] || { echo "uv could not be installed; the reason stands above" >&2; exit 1; }
if [ ! -x "$venv/bin/python" ]; then
    "$uv" venv --quiet --python ">=3.11,<3.14" "$venv"
fi
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r "$lock"
"$uv" pip install --quiet --python "$venv/bin/python" --no-deps -e .
