#!/usr/bin/env bash
# Install KiCad 9 where it is missing: Debian 13 has it, Debian 12 in its backports. Elsewhere say what to do.
set -euo pipefail

major() { kicad-cli version 2>/dev/null | cut -d. -f1; }
mac=/Applications/KiCad/KiCad.app/Contents/MacOS/kicad-cli

libraries=${KICAD_SHARE:-/usr/share/kicad}
[[ "$(major || true)" -ge 9 && -d "$libraries/symbols" && -d "$libraries/footprints" ]] 2>/dev/null && exit 0
[[ -x "$mac" ]] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "KiCad 9 is needed for the hardware tests. On a Mac: brew install --cask kicad. Elsewhere: your system's packages." >&2
    exit 1
fi
as_root=""
if [[ "$(id -u)" -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "KiCad 9 is missing; installing it needs root: run this once as root." >&2; exit 1; }
    as_root=sudo
fi

packages=(kicad kicad-symbols kicad-footprints)
# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
$as_root apt-get update -qq
target=()
if [[ "$codename" == bookworm ]]; then
    if ! apt-cache policy | grep -q bookworm-backports; then
        # the mirror is the one this machine already uses
        mirror=$(apt-cache policy | sed -n 's/^ *[0-9]* \([a-z+]*:[^ ]*\) bookworm\/main.*/\1/p' | head -n 1)
        [[ -n "$mirror" ]] || { echo "No Debian bookworm source found to take the backports from." >&2; exit 1; }
        echo "deb $mirror bookworm-backports main" | $as_root tee /etc/apt/sources.list.d/kicad-backports.list >/dev/null
        $as_root apt-get update -qq
    fi
    target=(-t bookworm-backports)
fi
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${target[@]}" "${packages[@]}" >/dev/null
[[ "$(major)" -ge 9 ]] || { echo "Got KiCad $(kicad-cli version), but 9 is needed." >&2; exit 1; }
