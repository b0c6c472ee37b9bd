#!/bin/sh
# libheft.so exports what heft.h and its parts declare, and nothing else.
# usage: tests/tree/exports.sh LIBHEFT.SO HEFT.H...
library=$1
shift
declared=$(cat "$@" | grep -v "^#" | tr "\n" " " | grep -oE 'HEFT_API [^;(]*\(' | sed -E 's|.*(heft_[a-z0-9_]+)\($|\1|' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
[ -n "$declared" ] && [ "$declared" = "$exported" ] && exit 0
echo "declared only:" "$(for s in $declared; do echo "$exported" | grep -qx "$s" || echo "$s"; done)"
echo "exported only:" "$(for s in $exported; do echo "$declared" | grep -qx "$s" || echo "$s"; done)"
exit 1
