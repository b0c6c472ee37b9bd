# Sourced by same.sh and workloads.sh, behind tests/lib/test.sh: runs commands with and without the recorder.  Needs
# $recorder and $dir.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of the caller's, and for the caller

# What is not the same in two runs of the same thing; a workload may set it.
no_filter='s/^//'
filter=$no_filter

# same NAME PACKAGE STATUS COMMAND...: run twice in folders of their own, of the same path: output, messages and files
# must be the same, there must be some, and STATUS is how both end.  Where $below names an allocator, both runs are on top
# of it.  PACKAGE has the command, which may not be there.
same() {
	name=$1 package=$2 wanted=$3
	shift 3
	has "$1" "$package" "$name recorded" || return 0
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
	if ! diff -r "$dir/$name.plain" "$dir/$name.recorded" >"$dir/diff"; then
		fail "$name differs:"
		head -n 20 "$dir/diff"
	elif [ "$(cat "$dir/$name.plain/status")" -ne "$wanted" ]; then
		fail "$name: status $(cat "$dir/$name.plain/status"), not $wanted"
		tail -n 5 "$dir/$name.plain/stderr"
	elif [ -z "$(find "$dir/$name.plain" -type f -size +0 ! -name status)" ]; then
		fail "$name: it did nothing that could be compared"
	elif [ -z "$(ls "$dir/heaps")" ]; then
		fail "$name: nothing was recorded"
	else
		pass
		echo "$name: same, $(find "$dir/heaps" -type f | wc -l) processes recorded"
	fi
	rm -rf "$dir/$name.plain" "$dir/$name.recorded" "$dir/heaps"
}
