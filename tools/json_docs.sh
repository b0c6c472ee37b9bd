#!/bin/sh
# Puts the tables that heft declares into docs/json.md: each goes below the line that names its object.
# usage: tools/json_docs.sh HEFT            writes the page
#        tools/json_docs.sh HEFT --check    says what differs; exit 1 if anything does
page=$(dirname "$0")/../docs/json.md
tables=$(mktemp) && made=$(mktemp) || exit 2
trap 'rm -f "$tables" "$made"' EXIT
"$1" --debug-fields >"$tables" && [ -s "$tables" ] || { echo "$1 --debug-fields failed" && exit 2; }
awk 'FNR == NR { if (/^<!-- fields/) name = $0; else if (/^\|/) table[name] = table[name] $0 "\n"; next }
	/^<!-- fields/ { print; printf "%s", table[$0]; inside = 1; next }
	inside && /^\|/ { next }
	{ inside = 0; print }' "$tables" "$page" >"$made"
if [ "$2" != --check ]; then
	cp "$made" "$page"
fi
diff "$page" "$made" || { echo "docs/json.md is not what heft declares: run tools/json_docs.sh" && exit 1; }
names() {
	grep '^<!-- fields' "$1" | sort
}
names "$page" >"$made"
names "$tables" | diff - "$made" ||
	{ echo "docs/json.md lacks objects, or has some that heft does not declare" && exit 1; }
