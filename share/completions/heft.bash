# bash completion for heft(1): what `heft help --words` lists.

# The command that is typed: two words, one, or none, which means size.
_heft_command() {
	local rows=$1 one=${COMP_WORDS[1]} two="${COMP_WORDS[1]} ${COMP_WORDS[2]}"
	if grep -q "^$two	" <<<"$rows"; then
		echo "$two"
	elif grep -q "^$one	" <<<"$rows"; then
		echo "$one"
	else
		echo size
	fi
}

# Names of data sources behind those that are typed.
_heft_sources() {
	local done='' word=$1 name
	case $word in
	*,*) done=${word%,*}, ;;
	esac
	for name in $("${COMP_WORDS[0]}" --list-sources 2>/dev/null | awk '{ print $1 }'); do
		printf '%s%s\n' "$done" "$name"
	done
}

_heft() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	# "--name=value" comes as three words where '=' breaks words.
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	local rows command value='' choices=''
	rows=$("${COMP_WORDS[0]}" help --words 2>/dev/null)
	command=$(_heft_command "$rows")
	case $before in
	-*) value=$(awk -F '\t' -v c="$command" -v o="$before" '$1 == c && $2 == o { print $3 }' <<<"$rows") ;;
	esac
	case $value in
	A,B*) choices=$(_heft_sources "$word") ;;
	*\|*) choices=${value//|/ } ;;
	DIR)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	FILE | '') ;;
	*) return ;;
	esac
	if [ -z "$value" ] && [[ $word == @* ]]; then
		choices=$(awk -F '\t' '$1 == "@" { print $2 }' <<<"$rows")
	elif [ -z "$value" ] && [ "${COMP_WORDS[1]}" = help ] && [ "$COMP_CWORD" -ge 2 ]; then
		choices=$(awk -F '\t' -v f="${COMP_WORDS[2]}" -v n="$COMP_CWORD" '$2 == "" && $1 != "@" {
			k = split($1, w, " ")
			if (n == 2) print w[1]
			if (n == 3 && k == 2 && w[1] == f) print w[2]
		}' <<<"$rows" | sort -u)
	elif [ -z "$value" ] && [[ $word == -* ]]; then
		choices=$(awk -F '\t' -v c="$command" '$1 == c && $2 != "" { print $2 }' <<<"$rows")
	elif [ -z "$value" ] && [ "$COMP_CWORD" -eq 1 ]; then
		choices="help $(awk -F '\t' '$2 == "" { split($1, w, " "); print w[1] }' <<<"$rows" | sort -u)"
	elif [ -z "$value" ] && [ "$COMP_CWORD" -eq 2 ]; then
		choices=$(awk -F '\t' -v f="${COMP_WORDS[1]} " '$2 == "" && index($1, f) == 1 { print substr($1, length(f) + 1) }' <<<"$rows")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
	if [ "${choices:--}" = - ] || { [ "$COMP_CWORD" -le 2 ] && [[ $word != -* ]] && [ -z "$value" ]; }; then
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -o bashdefault -F _heft heft
