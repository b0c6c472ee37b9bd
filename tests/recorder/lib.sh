# Sourced by same.sh and workloads.sh: runs commands with and without the recorder.  Needs $recorder and
# $dir; sets $bad, counts in $ran.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of the caller's, and for the caller
bad=0
ran=0

# What is not the same in two runs of the same thing; a workload may set it.
no_filter='s/^//'
filter=$no_filter

# same NAME COMMAND...: run twice in folders of their own, of the same path: output, messages, exit status and files must
# be the same.  Where $below names an allocator, both runs are on top of it.
same() {
	name=$1
	shift
	command -v "$1" >/dev/null 2>&1 || return 0
	mkdir -p "$dir/heaps"
	chmod 777 "$dir/heaps" # servers may run as somebody else
	for way in plain recorded; do
		mkdir "$dir/here"
		preload=$below
		[ $way = recorded ] && preload="$recorder${below:+:$below}"
		(
			cd "$dir/here" || exit 2
			HEFT_HEAP_CHECK=1 HEFT_HEAP_OUT="$dir/heaps/%p" timeout -k 5 900 env \
				LD_PRELOAD="$preload" "$@" >stdout 2>stderr </dev/null
			echo $? >status
			sed -E -i "$filter" stdout stderr
		)
		mv "$dir/here" "$dir/$name.$way"
	done
	ran=$((ran + 1))
	if ! diff -r "$dir/$name.plain" "$dir/$name.recorded" >"$dir/diff"; then
		echo "$name differs:"
		head -n 20 "$dir/diff"
		bad=1
	elif [ -z "$(ls "$dir/heaps")" ]; then
		echo "$name: nothing was recorded"
		bad=1
	else
		[ -z "$verbose" ] || echo "$name: same, status $(cat "$dir/$name.plain/status")," \
			"$(find "$dir/heaps" -type f | wc -l) processes recorded"
	fi
	rm -rf "$dir/$name.plain" "$dir/$name.recorded" "$dir/heaps"
}
