#!/bin/sh
# Install the system packages listed in packages/$1.txt (and $2 …): with apt as root or through sudo where that is
# allowed; otherwise name them. Nothing is asked for twice: packages that are there are left alone.
set -eu
here=$(dirname "$0")/../packages

if [ "$(uname)" = "Darwin" ]; then
    missing=""
    for list in "$@"; do
        [ -f "$here/$list-mac.txt" ] || continue
        for name in $(sed 's/#.*//' "$here/$list-mac.txt"); do
            brew list --formula "$name" >/dev/null 2>&1 || missing="$missing $name"
        done
    done
    if [ -n "$missing" ]; then
        if command -v brew >/dev/null 2>&1; then
            # shellcheck disable=SC2086
            brew install $missing
        else
            echo "To use everything, install Homebrew and then: brew install$missing" >&2
        fi
    fi
    exit 0
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is no Debian: install what packages/*.txt names with your own package manager." >&2
    exit 0
fi

missing=""
for list in "$@"; do
    for name in $(sed 's/#.*//' "$here/$list.txt"); do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
        [ "$state" = "installed" ] || missing="$missing $name"
    done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
    echo "These Debian packages are missing:$missing"
    as_root="sudo"
else
    echo "These Debian packages are missing and may not be installed from here. Ask an administrator for:" >&2
    echo "    apt-get install$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
