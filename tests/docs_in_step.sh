#!/bin/sh
# Every option of `heft COMMAND --help` is in the manual page and in each completion, these name no
# option that does not exist, and no line of the help is wider than a terminal.
# usage: tests/docs_in_step.sh HEFT
heft=$1
top=$(dirname "$0")/..
bad=0

options() {
	grep -oE '(^|[^-[:alnum:]])--?[[:alpha:]][[:alnum:]-]*' | grep -oE -- '--?[[:alpha:]].*' | sort -u
}

wide=$({ "$heft" size --help; "$heft" where --help; "$heft" blocks --help; "$heft" --help; } | awk 'length($0) > 80')
if [ -n "$wide" ]; then
	echo "wider than 80 columns: $wide"
	bad=1
fi

# help_of COMMAND: what follows is about its options.
help_of() {
	command=$1
	known=$("$heft" "$command" --help |
		awk '/^  ( |-)/ { print $1; if ($2 ~ /^--/) print $2 }' | options)
	[ -n "$known" ] || exit 2
}

# compare NAME: the options on stdin are exactly the known ones.
compare() {
	there=$(sort -u)
	for opt in $known; do
		echo "$there" | grep -qxe "$opt" || { echo "$1 lacks $opt of $command"; bad=1; }
	done
	for opt in $there; do
		echo "$known" | grep -qxe "$opt" || { echo "$1 has $opt, heft $command has not"; bad=1; }
	done
}

man_options() { # first line, last line of the part of the manual
	sed -n "/^\.Sh $1/,/^\.Sh $2/p" "$top/man/heft.1" | grep -E '^\.(It Fl|Fl Fl [a-z])' |
		sed -E 's/Fl Fl ([a-z-]+)/\n--\1\n/g; s/Fl ([A-Za-z])/\n-\1\n/g' | grep '^-'
}

bash_options() { # what the first line holds, what the last
	sed -n "/$1/,/$2/p" "$top/share/completions/heft.bash" | options
}

zsh_options() { # the array
	sed -n "/	$1=(/,/^	)/p" "$top/share/completions/_heft" | sed 's/\[.*//' |
		grep -oE -- '--?[A-Za-z][a-z-]*' | sort -u
}

fish_options() {
	sed "s/ -d '.*//; s/ -a '.*//" | grep -oE -- ' -[sl] [A-Za-z][A-Za-z-]*' |
		sed 's/^ -s /-/; s/^ -l /--/' | sort -u
}

help_of size
compare man/heft.1 <<END
$(man_options OPTIONS SOURCES)
END
compare heft.bash <<END
$(bash_options "choices='-d" "disassemble'")
END
compare _heft <<END
$(zsh_options options)
END
compare heft.fish <<END
$(grep '^complete -c heft -[sl]' "$top/share/completions/heft.fish" | fish_options)
END

help_of where
compare man/heft.1 <<END
$(man_options "LOOKING UP ADDRESSES" "BASIC BLOCKS")
END
compare heft.bash <<END
$(bash_options "choices='-C --demangle --json --terse" "version'")
END
compare _heft <<END
$(zsh_options where_options)
END
# In fish, options of both commands are the ones without a condition.
compare heft.fish <<END
$(grep '^complete -c heft' "$top/share/completions/heft.fish" | fish_options | grep -xFe "$known"
grep '^complete .*from where' "$top/share/completions/heft.fish" | fish_options)
END

help_of blocks
compare man/heft.1 <<END
$(man_options "BASIC BLOCKS" OUTPUT)
END
compare heft.bash <<END
$(bash_options "choices='--function" "version'")
END
compare _heft <<END
$(zsh_options blocks_options)
END
compare heft.fish <<END
$(grep '^complete -c heft' "$top/share/completions/heft.fish" | fish_options | grep -xFe "$known"
grep '^complete .*from blocks' "$top/share/completions/heft.fish" | fish_options)
END
exit $bad
