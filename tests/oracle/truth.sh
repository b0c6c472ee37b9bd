#!/bin/sh
# Whether the owners that heft names are right, against the maps of bfd, gold and lld.
# Usage: truth.sh HEFT [truth.py's options]; exit status 77 where a tool is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 "$here/truth.py" --heft "$heft" "$@"
