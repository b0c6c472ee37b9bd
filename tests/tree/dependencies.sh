#!/bin/sh
# What installs packages waits for apt's lock, says why a package cannot be had and how much it installs, and installs
# nothing where it is told so: tools/deps.sh against an apt of its own.  Tests that are skipped say why.
# usage: tests/tree/dependencies.sh
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
scratch
mkdir "$tmp/bin"
cat >"$tmp/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$tmp/calls"
case "\$*" in
*--print-uris*)
	echo "0 upgraded, 7 newly installed, 0 to remove and 3 not upgraded."
	echo "Need to get 12.5 MB of archives."
	echo "After this operation, 99.0 MB of additional disk space will be used."
	;;
*update*)
	[ ! -f "$tmp/locked" ] || { rm "$tmp/locked"; echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1" >&2; exit 100; }
	;;
*broken*) echo "E: Failed to fetch http://mirror/broken.deb  404 Not Found" >&2; exit 100 ;;
esac
END
cat >"$tmp/bin/apt-cache" <<'END'
#!/bin/sh
case $2 in
unknown) ;;
*) printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "$2" ;;
esac
END
printf '#!/bin/sh\necho 0\n' >"$tmp/bin/id"
chmod +x "$tmp/bin/"*

# installs NEEDED WISHES: what deps_install says, into $tmp/said, and calls, into $tmp/calls.
installs() {
	: >"$tmp/calls"
	PATH=$tmp/bin:$PATH sh -c 'deps_pause=0 && . "$0/deps.sh" && deps_install "$1" "$2"' "$tools" "$@" 2>"$tmp/said"
}

# says TEXT: it does.
says() {
	if grep -qF -- "$1" "$tmp/said"; then
		pass
	else
		fail "not said: $1" && cat "$tmp/said"
	fi
}

touch "$tmp/locked"
installs cmd/no-such-command:good "cmd/no-such-command:fine cmd/no-such-command:broken cmd/no-such-command:unknown"
is "what is needed is there" 0 $?
says "another process holds apt's lock; waiting for it"
says "unknown: this system has no such package"
says "broken: Failed to fetch http://mirror/broken.deb  404 Not Found; going on without"
says "installing good fine broken"
says "  7 packages with what they need"
says "  12.5 MB to fetch"
says "  99.0 MB on disk"
is "apt waits for dpkg's lock" 5 "$(grep -c 'Lock::Timeout=600' "$tmp/calls")"
installs cmd/no-such-command:broken ""
is "what is needed and cannot be had" 1 $?
says "404 Not Found"
HEFT_NO_INSTALL=1
export HEFT_NO_INSTALL
installs "" cmd/no-such-command:fine
is "wishes are done without" 0 "$?$(cat "$tmp/calls")"
says "done without: fine"
installs cmd/no-such-command:good ""
is "what is needed is named" 1 "$?$(cat "$tmp/calls")"
says "good"
# A skip says why: tools/results.py looks for these words.
for test in $(grep -rlE '(return|exit)[ (]77' "$tools/../tests" --include=*.py --include=*.sh); do
	check "$test says why it is skipped" grep -qE 'SKIP: |lib/test\.sh' "$test"
done
finish 25
