#!/bin/sh
# Checks docs/architecture.md, docs/design/ and the pages of the rooms (README.md in each folder of src/, in programs/
# and in recorder/) and of their folders.  Each room has a page of at most 70 lines, and every file and name of C in backticks exists.
# usage: tests/tree/rooms.sh
cd "$(dirname "$0")/../.." || exit 2
lines_max=70
bad=0
pages=0
checked=0
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT

say() {
	echo "$*"
	bad=1
}

# Prints the C sources without comments.
code() {
	find src programs recorder include -name '*.[ch]' -exec cat {} + |
		awk '{
			while (1) {
				if (inside) {
					end = index($0, "*/")
					if (!end) next
					$0 = substr($0, end + 2)
					inside = 0
				}
				start = index($0, "/*")
				if (!start) break
				print substr($0, 1, start - 1)
				$0 = substr($0, start + 2)
				inside = 1
			}
			print
		}'
}

# Prints what stands in backticks, blocks of code aside, one a line.
quoted() {
	awk '/^```/ { code = !code; next } !code' "$1" | grep -o '`[^`]*`' | tr -d '`' | sort -u
}

code >"$room/code"
tr -c 'A-Za-z0-9_' '\n' <"$room/code" | sort -u >"$room/words"
grep -oE '(struct|enum|union) [A-Za-z_0-9]+ \{' "$room/code" | sort -u >"$room/tags"
find src programs recorder include docs tests tools fuzz bench man share examples -type f >"$room/files"

# file_exists FOLDER NAME: a path from the top, from src/, from the page, or the end of some path.
file_exists() {
	[ -e "$2" ] || [ -e "src/$2" ] || [ -e "$1/$2" ] || grep -qE "/$(echo "$2" | sed 's/[.+]/\\&/g')\$" "$room/files"
}

# page_check PAGE: every file and name in backticks exists.  NAME stands for what a reader chooses.
page_check() {
	quoted "$1" >"$room/quoted"
	while read -r text; do
		case $text in
		*'*'* | -* | *' '*' '* | *NAME*) continue ;;
		*.c | *.h | *.md | *.sh | *.py | *.js | *.inc | */)
			checked=$((checked + 1))
			file_exists "$(dirname "$1")" "$text" || say "$1: there is no file $text"
			continue
			;;
		struct\ * | enum\ * | union\ *)
			checked=$((checked + 1))
			grep -qxF "$text {" "$room/tags" || say "$1: the sources define no $text"
			continue
			;;
		*' '*) continue ;;
		*'()') name=${text%()} ;;
		*) name=$text ;;
		esac
		name=${name%%(*}
		# Words of one part are the field's or a user's, such as a section or a source.
		case $name in
		*[!A-Za-z0-9_]* | *_) continue ;;
		*_*) ;;
		*) [ "$name" != "$text" ] || continue ;;
		esac
		checked=$((checked + 1))
		grep -qx "$name" "$room/words" || say "$1: the sources have no $name"
	done <"$room/quoted"
}

for folder in src/*/ programs/ recorder/; do
	page=${folder}README.md
	if [ ! -f "$page" ]; then
		say "$folder has no page README.md"
		continue
	fi
	pages=$((pages + 1))
	[ "$(wc -l <"$page")" -le "$lines_max" ] || say "$page has more than $lines_max lines"
	page_check "$page"
	grep -q "(\.\./$page)" docs/architecture.md || say "docs/architecture.md has no link to $page"
done
for page in docs/architecture.md docs/design/*.md src/*/*/README.md; do
	page_check "$page"
done

[ "$pages" -gt 0 ] && [ "$checked" -gt 0 ] || say "no page and no name was checked"
echo "$pages pages, $checked files and names"
exit $bad
