#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing of the packages of some groups: packages.sh GROUP...
# Asks for no rights when nothing is missing; else it must be root, or sudo must be there.
set -euo pipefail

list="$(dirname "$0")/packages.txt"
missing=()

is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

while read -r group package; do
    for wanted in "$@"; do
        if [ "$group" = "$wanted" ] && ! is_installed "$package"; then
            missing+=("$package")
        fi
    done
done <"$list"

if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "packages.sh: not root and no sudo; install these first: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "packages.sh: installing ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0)
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" "${apt[@]}" update &&
       "${as_root[@]}" "${apt[@]}" install --no-install-recommends "${missing[@]}"
     } </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "packages.sh: could not install ${missing[*]}" >&2
    exit 1
fi
