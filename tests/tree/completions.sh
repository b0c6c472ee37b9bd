#!/bin/sh
# The completions of fish and zsh, asked as these shells do (that of bash: docs_in_step.sh): commands, options, values of
# options behind a blank and behind "=", ready-made queries, folders, files.  The functions that zsh's own completion
# brings are stood for by ones that print what they are given.
# usage: tests/tree/completions.sh HEFT
set -u
[ -x "${1:-}" ] || { sed -n '5s/^# //p' "$0" && exit 2; }
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=$(cd "$(dirname "$1")" && pwd):$PATH
export PATH LC_ALL=C.UTF-8
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
completions=$here/../../share/completions
mkdir "$tmp/place" "$tmp/place/folder" "$tmp/home" && cd "$tmp/place" && : >file.size || exit 2
export HOME="$tmp/home"

# What each offers for a line up to the cursor, one a line, without descriptions.
offers_fish() {
	# shellcheck disable=SC2016 # for that shell
	fish --no-config -c 'source $argv[1]/heft.fish; complete -C $argv[2]' "$completions" "$1" 2>&1 | cut -f 1
}
cat >"$tmp/ask.zsh" <<'END'
words=(${=2})
[[ $2 == *' ' ]] && words+=('')
CURRENT=$#words
skipped=''
compset() {
	[[ $1 == -P && $words[CURRENT] == ${~2}* ]] || return 1
	local rest=${words[CURRENT]##${~2}}
	skipped+=${words[CURRENT]%$rest}
	words[CURRENT]=$rest
}
compadd() {
	shift
	local w
	for w; do [[ $w == ${words[CURRENT]}* ]] && print -r -- "$skipped$w"; done
}
_describe() {
	[[ $1 == -o ]] && shift
	compadd -- ${${(P)2}%%:*}
}
_files() {
	local -a all
	[[ ${1:-} == -/ ]] && all=(*(N/)) || all=(*(N))
	compadd -- $all
}
_call_program() { shift && "$@"; }
source $1/_heft
END
offers_zsh() {
	zsh -f "$tmp/ask.zsh" "$completions" "$1" 2>&1
}

# Both sides sorted, files aside where a command may stand as well.
offered() { # shell, line, what is offered
	got=$("offers_$1" "$2" | sed 's|/$||' | LC_ALL=C sort -u | paste -sd ' ')
	if [ "$got" = "$3" ]; then
		pass
	else
		fail "$1: '$2' offers '$got', not '$3'"
	fi
}

ask() { # shell
	sources=$(heft --list-sources | awk '{ print $1 }' | LC_ALL=C sort | paste -sd ' ')
	heaps=$(heft help --words | awk -F '\t' '$2 == "" && $1 ~ /^heap / { print substr($1, 6) }' | LC_ALL=C sort)
	offered "$1" 'heft sn' snapshot
	offered "$1" 'heft heap sn' snapshot
	offered "$1" 'heft help sn' snapshot
	offered "$1" 'heft help heap ' "$(echo "$heaps" | paste -sd ' ')"
	offered "$1" 'heft size --debug-d' --debug-dir
	offered "$1" 'heft --old' --old-new
	offered "$1" 'heft blocks emit --repl' --replace
	offered "$1" 'heft size --format=c' --format=csv
	offered "$1" 'heft size -s gr' growth
	offered "$1" 'heft size -d ' "$sources"
	offered "$1" 'heft size -d sections,sy' sections,symbols
	offered "$1" 'heft size --by=sections,sy' --by=sections,symbols
	offered "$1" 'heft diff --by=na' --by=namespace
	offered "$1" 'heft heap show --by th' thread
	offered "$1" 'heft query file.size @larg' @largest
	offered "$1" 'heft size --debug-dir ' folder
	offered "$1" 'heft size -D fo' folder
	offered "$1" 'heft size --debug-file ' 'file.size folder'
	offered "$1" 'heft size --exit-code fi' file.size
	offered "$1" 'heft size -n ' ''
	# Every value of every option that has choices.
	heft help --words | awk -F '\t' '$3 ~ /[|]/ { print $1 "\t" $2 "\t" $3 }' >"$tmp/choices"
	[ -s "$tmp/choices" ] || fail "heft help --words names no choices"
	while IFS='	' read -r command option values; do
		offered "$1" "heft $command $option " "$(echo "$values" | tr '|' '\n' | LC_ALL=C sort -u | paste -sd ' ')"
	done <"$tmp/choices"
}

for shell in fish zsh; do
	! has $shell $shell "the completion of $shell" || ask $shell
done
[ $((passed + failed)) -gt 0 ] || skip 'neither fish nor zsh' 'fish zsh'
finish 50
