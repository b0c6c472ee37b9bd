# bash completion for heft(1)

_heft_sources() {
	local done='' word=$1
	case $word in
	*,*) done=${word%,*}, ;;
	esac
	local name
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
	local choices=
	case $before in
	-d) choices=$(_heft_sources "$word") ;;
	-s | --domain) choices='vm file both' ;;
	--sort) choices='size delta name' ;;
	-C | --demangle) choices='none short full' ;;
	--color) choices='auto always never' ;;
	-n | --function | --threads | --depth | --path-map | --debug-vmaddr | --debug-fileoff) return ;;
	--source-filter | --exclude-filter | --disassemble | --source-map) return ;;
	-D | --debug-dir | --dsym | --strip-prefix)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	help) [ "$COMP_CWORD" -eq 2 ] && choices='size where blocks' ;;
	esac
	if [ -z "$choices" ] && [ "${COMP_WORDS[1]}" = where ] && [[ $word == -* ]]; then
		choices='-C --demangle --json --terse --debug-file -D --debug-dir --no-debug-search
			-v -h --help --version'
	elif [ -z "$choices" ] && [ "${COMP_WORDS[1]}" = blocks ] && [[ $word == -* ]]; then
		choices='--function -C --demangle --json --csv --debug-file -D --debug-dir --no-debug-search
			-v -h --help --version'
	elif [ -z "$choices" ] && [[ $word == -* ]]; then
		choices='-d --list-sources --source-filter --exclude-filter -c --debug-file -D
			--debug-dir --no-debug-search --depth --path-map --strip-prefix -n -s --sort --domain -C --demangle --count --aliases
			--old-new --csv --tsv --json --folded --raw-map -w --color -o -v --debug-vmaddr
			--debug-fileoff --exit-code --threads -h --help --version --dsym
			--source-map --disassemble'
	elif [ -z "$choices" ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		[ "$COMP_CWORD" -eq 1 ] &&
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'size where blocks help' -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}

complete -o filenames -o bashdefault -F _heft heft
