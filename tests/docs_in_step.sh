#!/bin/sh
# Every option of `heft size --help` is in the manual page and in each completion, these name no
# option that does not exist, and no line of the help is wider than a terminal.
# usage: tests/docs_in_step.sh HEFT
heft=$1
top=$(dirname "$0")/..
bad=0
help=$("$heft" size --help) || exit 2

options() {
	grep -oE '(^|[^-[:alnum:]])--?[[:alpha:]][[:alnum:]-]*' | grep -oE -- '--?[[:alpha:]].*' | sort -u
}

wide=$({ echo "$help"; "$heft" --help; } | awk 'length($0) > 80')
if [ -n "$wide" ]; then
	echo "wider than 80 columns: $wide"
	bad=1
fi

known=$(echo "$help" | awk '/^  ( |-)/ { print $1; if ($2 ~ /^--/) print $2 }' | options)

# compare NAME: the options on stdin are exactly the known ones.
compare() {
	there=$(sort -u)
	for opt in $known; do
		echo "$there" | grep -qxe "$opt" || { echo "$1 lacks $opt"; bad=1; }
	done
	for opt in $there; do
		echo "$known" | grep -qxe "$opt" || { echo "$1 has $opt, heft has not"; bad=1; }
	done
}

compare man/heft.1 <<END
$(sed -n '/^\.Sh OPTIONS/,/^\.Sh SOURCES/p' "$top/man/heft.1" | grep -E '^\.(It Fl|Fl Fl [a-z])' |
	sed -E 's/Fl Fl ([a-z-]+)/\n--\1\n/g; s/Fl ([A-Za-z])/\n-\1\n/g' | grep '^-')
END
compare heft.bash <<END
$(sed -n "/choices='-d/,/disassemble'/p" "$top/share/completions/heft.bash" | options)
END
compare _heft <<END
$(sed -n '/options=(/,/^	)/p' "$top/share/completions/_heft" | sed 's/\[.*//' |
	grep -oE -- '--?[A-Za-z][a-z-]*' | sort -u)
END
compare heft.fish <<END
$(grep '^complete -c heft' "$top/share/completions/heft.fish" | sed "s/ -d '.*//; s/ -a '.*//" |
	grep -oE -- ' -[sl] [A-Za-z][A-Za-z-]*' | sed 's/^ -s /-/; s/^ -l /--/' | sort -u)
END
exit $bad
