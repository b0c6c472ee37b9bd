#!/bin/sh
# Every option of every command is in the manual, which names none that does not exist; no line of a help is wider than a
# terminal; the completions, which ask heft itself, offer them all.
# usage: tests/tree/docs_in_step.sh HEFT
heft=$1
top=$(dirname "$0")/../..
bad=0

say() {
	echo "$*"
	bad=1
}

# The part of a manual that is about a command.
part_of() {
	case $1 in
	size) echo heft.1 OPTIONS ;;
	where) echo heft.1 LOOKING UP ADDRESSES ;;
	why) echo heft.1 WHY SOMETHING IS IN THERE ;;
	info) echo heft.1 WHAT FILES ARE ;;
	snapshot) echo heft.1 SNAPSHOTS OF PROGRAMS ;;
	diff) echo heft-snapshots.1 DIFFERENCES ;;
	query) echo heft-snapshots.1 QUERIES ;;
	rows) echo heft.1 ROWS FOR STORES ;;
	check) echo heft-snapshots.1 BUDGETS ;;
	comment) echo heft-snapshots.1 COMMENTS ON CHANGES ;;
	report) echo heft.1 PAGES TO LOOK AT ;;
	browse) echo heft.1 LOOKING AROUND ;;
	stack) echo heft.1 STACKS ;;
	advise) echo heft.1 ADVICE ;;
	blocks) echo heft.1 BASIC BLOCKS ;;
	"blocks profile") echo heft.1 PROFILES OF BLOCKS ;;
	"blocks emit") echo heft.1 EMITTING MAPS ;;
	"blocks check") echo heft.1 CHECKING MAPS ;;
	"heap run") echo heft.1 RECORDING A HEAP ;;
	"push run") echo heft-push.1 PROFILES WHILE A PROGRAM RUNS ;;
	"push profile") echo heft-push.1 PROFILES OF DUMPS ;;
	"push rows") echo heft-push.1 ROWS ;;
	"heap snapshot") echo heft.1 SNAPSHOTS OF PROCESSES ;;
	"history add") echo heft-history.1 ADDING BUILDS ;;
	"history log") echo heft-history.1 LISTING BUILDS ;;
	"history diff") echo heft-history.1 DIFFERENCES OF BUILDS ;;
	"history blame") echo heft-history.1 WHO MADE IT SO LARGE ;;
	"history bisect") echo heft-history.1 WHICH STEPS EXPLAIN A GROWTH ;;
	"history trend") echo heft-history.1 WHERE A SIZE IS GOING ;;
	"history top") echo heft-history.1 WHO GREW MOST ;;
	"history page") echo heft-history.1 A PAGE OVER TIME ;;
	"history import") echo heft-history.1 FILES THAT ARE THERE ;;
	"history export") echo heft-history.1 BUILDS FOR OTHER TOOLS ;;
	"history gc") echo heft-history.1 WITHOUT WHAT IS OLD ;;
	heap*) echo heft-heap.1 ;;
	esac
}

man_options() { # file, words of the part; no words: all of the file
	page=$top/man/$1
	shift
	awk -v part=".Sh $*" '/^\.Sh / { inside = $0 == part } inside || part == ".Sh "' "$page" |
		grep -E '^\.(It Fl|Fl Fl [a-z])' |
		sed -E 's/Fl Fl ([a-z-]+)/\n--\1\n/g; s/Fl ([A-Za-z])/\n-\1\n/g' | grep '^-' | sort -u
}

words=$("$heft" help --words | grep -v '^@') # those are ready-made queries
known_options() { # of a command
	printf '%s\n' "$words" | awk -F '\t' -v c="$1" '$1 == c && $2 != "" { print $2 }' | sort -u
}

# One part of a manual is about how programs are found, for all commands that take them.
finding=$(man_options heft.1 FINDING WHAT BELONGS TO A PROGRAM)
# One is about the recorder, for what runs programs under it.
recording=$(man_options heft.1 RECORDING A HEAP)
# One is about what reports look like; each command that reports has some of its options.
reports=$(man_options heft.1 REPORTS)
of_reports() { # command
	known_options "$1" | grep -qx -e --csv-safe && known_options "$1" | grep -xF -e "$reports"
}
with_shared() { # command, options of its own part
	more=
	known_options "$1" | grep -qx -e --debug-file && more=$(echo "$finding" | grep -vx -e --exe)
	known_options "$1" | grep -qx -e --exe && more=$finding
	known_options "$1" | grep -qx -e --recorder && more=$recording
	printf '%s\n%s\n%s\n' "$2" "$more" "$(of_reports "$1")" | grep . | sort -u
}

printf '%s\n' "$words" | awk -F '\t' 'NF != 4 { print "not four fields: " $0; exit 1 }' || bad=1
printf '%s\n' "$words" | cut -f 1 | uniq >/tmp/heft-commands.$$
trap 'rm -f /tmp/heft-commands.$$' EXIT
[ "$(wc -l </tmp/heft-commands.$$)" -ge 10 ] || say "heft help --words names hardly a command"
while read -r command; do
	# shellcheck disable=SC2086 # words
	wide=$("$heft" help $command | awk 'length($0) > 80')
	[ -z "$wide" ] || say "wider than 80 columns: $wide"
	part=$(part_of "$command")
	[ -n "$part" ] || say "no part of a manual is about heft $command"
	[ "$part" = heft-heap.1 ] && continue # below: one page for several commands
	# shellcheck disable=SC2086 # words
	there=$(with_shared "$command" "$(man_options $part)")
	known=$(known_options "$command")
	for opt in $(echo "$known" | grep -vxF -e "$there"); do
		say "$part lacks $opt of $command"
	done
	for opt in $(echo "$there" | grep -vxF -e "$known"); do
		say "$part has $opt, heft $command has not"
	done
done </tmp/heft-commands.$$

for opt in $(echo "$reports" | grep -vxF -e "$(printf '%s\n' "$words" | cut -f 2)"); do
	say "heft.1 REPORTS has $opt, no command has it"
done

there=$(with_shared "heap show" "$(man_options heft-heap.1)")
known=$(for word in show diff at check digest; do known_options "heap $word"; done | sort -u)
[ "$there" = "$known" ] || {
	printf '%s\n' "$there" >/tmp/heft-commands.$$
	printf '%s\n' "$known" | diff /tmp/heft-commands.$$ - | sed 's/^/heft-heap.1: /'
	bad=1
}

sed -n '/^|/p' "$top/docs/passes.md" >/tmp/heft-commands.$$
"$heft" --debug-passes | diff - /tmp/heft-commands.$$ || say "docs/passes.md is not what heft --debug-passes prints"
"$top/tools/json_docs.sh" "$heft" --check || bad=1

# The completion of bash, asked as bash does.
if command -v bash >/dev/null; then
	printf '%s\n' "$words" | cut -f 1 | uniq | while read -r command; do
		# shellcheck disable=SC2016 # for that shell
		offered=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@" --); COMP_CWORD=$#; _heft; printf "%s\n" "${COMPREPLY[@]}"' \
			bash "$top/share/completions/heft.bash" "$heft" $command | grep '^--' | sort -u)
		[ "$offered" = "$(known_options "$command" | grep '^--')" ] ||
			{ echo "heft.bash does not offer the options of heft $command"; exit 1; }
	done || bad=1
	offered() { # words, the last of them typed in part
		# shellcheck disable=SC2016
		bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heft; echo "${COMPREPLY[@]}"' \
			bash "$top/share/completions/heft.bash" "$heft" "$@"
	}
	[ "$(offered heap show --by th)" = thread ] || say "heft.bash does not offer what rows of heaps are"
	[ "$(offered diff --format fol)" = folded ] || say "heft.bash does not offer formats"
	[ "$(offered query a.out @larg)" = @largest ] || say "heft.bash does not offer ready-made queries"
	[ "$(offered help snap)" = snapshot ] || say "heft.bash does not offer commands behind help"
	[ "$(offered help heap sn)" = snapshot ] || say "heft.bash does not offer second words behind help"
else
	echo "LEFT OUT: the completion of bash: no bash (install bash)"
fi
exit $bad
