#!/bin/sh
# Whether the compile units that heft names are right, against the maps of bfd, gold and lld.
# Usage: units.sh HEFT [units.py's options]; exit status 77 where a tool is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/units.py" --heft "$heft" "$@"
