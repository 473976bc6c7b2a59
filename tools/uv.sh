#!/bin/sh
# Print the path of a uv that works, installing one into .tools/ when the machine has none.
set -eu
if command -v uv >/dev/null 2>&1 && uv --version >/dev/null 2>&1; then
    command -v uv
    exit 0
fi
if [ ! -x .tools/bin/uv ]; then
    if ! command -v python3 >/dev/null 2>&1; then
        echo "python3 is missing: install Python 3.11 or newer (Debian: apt-get install python3 python3-venv)" >&2
        exit 1
    fi
    python3 -m venv .tools >&2
    .tools/bin/pip install --quiet --disable-pip-version-check --require-hashes -r tools/uv.lock >&2
fi
echo "$(pwd)/.tools/bin/uv"
