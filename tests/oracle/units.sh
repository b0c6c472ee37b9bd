#!/bin/sh
# Whether the compile units that heft names are right, against the maps of bfd, gold and lld.
# Usage: units.sh HEFT [units.py's options].
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/units.py" --heft "$heft" "$@"
