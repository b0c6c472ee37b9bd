#!/bin/sh
# Whether the owners that heft names are right, against the maps of bfd, gold and lld.
# Usage: truth.sh HEFT [truth.py's options].
set -u
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3
exec python3 "$here/truth.py" --heft "$heft" "$@"
