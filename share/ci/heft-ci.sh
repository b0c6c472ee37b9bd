#!/bin/sh
# Measures what a change does to the size of a program, keeps sizes on a branch, and posts the comment.  The action of
# GitHub (action.yml) and the template of GitLab (gitlab.yml) run these steps; a shell runs them as well.
#
# usage: heft-ci.sh install    sees that there is a heft, before anything is built; fetches $HEFT_RELEASE where there is none
#        heft-ci.sh measure    sizes of HEAD and, of a pull request, of its base: $HEFT_DIR/head.size, base.size
#        heft-ci.sh keep       puts head.size on the branch $HEFT_BRANCH
#        heft-ci.sh onboard N  measures and keeps the last N commits of HEAD's branch that are not kept yet
#        heft-ci.sh comment    writes $HEFT_DIR/comment.md and posts it; exit status of heft comment
#
#   HEFT             the program (default: heft)
#   HEFT_RELEASE     address of an archive heft-VERSION-linux-MACHINE.tar.xz of a release
#   HEFT_SHA256      checksum of that archive; an archive with another one is not unpacked
#   HEFT_PROGRAM     what is measured: path of what the build makes, from the top of the repository
#   HEFT_BUILD       shell command that builds it, run at the top of a fresh checkout
#   HEFT_TITLE       its name in comments and on the branch (default: the file's name)
#   HEFT_BASE        commit that a pull request is compared with; empty: none
#   HEFT_BRANCH      branch that keeps sizes; empty: none is kept
#   HEFT_KEEP        how many are kept (default: 100)
#   HEFT_STORE       history (heft history --store) that courses of the comment are read from, and that keep adds to;
#                    empty: courses are those of the branch's last sizes
#   HEFT_BUDGET      limits, HEFT_COMPONENTS owners, HEFT_NOISE bytes, HEFT_PAGE_URL link, HEFT_TEMPLATE
#                    text: as heft comment takes them
#   HEFT_DIR         where files go (default: heft-sizes)
#   HEFT_FORGE       github or gitlab: where the comment is posted by post.py; empty: nowhere
set -eu

HEFT=${HEFT:-heft}
# Where "install" leaves a release, for the later steps of one job.
release=${RUNNER_TEMP:-$(git rev-parse --absolute-git-dir)}/heft-release
if ! command -v "$HEFT" >/dev/null && [ -x "$release/heft" ]; then
	HEFT=$release/heft
fi
HEFT_DIR=${HEFT_DIR:-heft-sizes}
case ${1:-} in measure | keep | onboard | comment) : "${HEFT_PROGRAM:?is what is measured}" ;; esac
HEFT_PROGRAM=${HEFT_PROGRAM:-heft}
title=${HEFT_TITLE:-${HEFT_PROGRAM##*/}}
here=$(cd "$(dirname "$0")" && pwd)

say() {
	echo "heft-ci: $*" >&2
}

# A folder of the branch: nothing of a title may lead out of it.
folder=$(printf '%s' "$title" | tr -c 'A-Za-z0-9._+-' _ | sed 's/^\.*//')
[ -n "$folder" ] || { say "the title '$title' has no letter" && exit 2; }

stop() {
	say "$*"
	exit 2
}

unpack_release() {
	rm -rf "$release" && mkdir -p "$release"
	curl --fail --silent --show-error --location --retry 3 --output "$release/archive" "$HEFT_RELEASE" ||
		stop "cannot fetch $HEFT_RELEASE"
	sum=$(sha256sum "$release/archive") && sum=${sum%% *}
	[ "$sum" = "$HEFT_SHA256" ] || stop "$HEFT_RELEASE has the checksum $sum, not $HEFT_SHA256"
	tar -xf "$release/archive" -C "$release" --strip-components=1 || stop "$HEFT_RELEASE is no archive that tar unpacks"
	HEFT=$release/heft
}

install() {
	if [ "$HEFT" = "$release/heft" ] || ! command -v "$HEFT" >/dev/null; then
		case ${HEFT_RELEASE:+1}${HEFT_SHA256:+2} in
		12) ;;
		*) stop "there is no $HEFT: install its package, or give the address and the sha256 of a release" ;;
		esac
		unpack_release
	fi
	version=$("$HEFT" --version) || stop "$HEFT does not run on this machine"
	say "$(command -v "$HEFT") is $(printf '%s\n' "$version" | sed 1q)"
}

# Builds a commit at the place where every commit is built, so that the paths of two builds are the same.
build() { # commit, file to write
	# Reports call the program's own code after the last folder of this path.
	tree=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/heft-tree-$(id -u)/$folder
	git worktree remove --force "$tree" 2>/dev/null || rm -rf "$tree"
	git worktree prune
	git worktree add --quiet --detach "$tree" "$1" || return
	(cd "$tree" && sh -ec "$HEFT_BUILD") >&2 || return
	commit=$1 file=$2
	set -- --strip-prefix "$tree" --metadata "git_revision=$commit"
	[ -z "${HEFT_COMPONENTS:-}" ] || set -- "$@" --components "$HEFT_COMPONENTS"
	"$HEFT" snapshot "$@" "$tree/$HEFT_PROGRAM" -o "$file" || return
	say "$commit measured"
	git worktree remove --force "$tree"
	rmdir "${tree%/*}"
}

# What HEAD is compared with.  Where the forge checked out a merge of its own making, that is the side merged into.
base_commit() {
	case ${GITHUB_REF:-}${CI_MERGE_REQUEST_EVENT_TYPE:-} in
	refs/pull/*/merge | merged_result)
		git rev-parse --quiet --verify 'HEAD^2' >/dev/null && git rev-parse 'HEAD^1' && return
		;;
	esac
	git merge-base "$HEFT_BASE" HEAD
}

fetch_branch() {
	[ -n "${HEFT_BRANCH:-}" ] && git fetch --quiet origin "+refs/heads/$HEFT_BRANCH:refs/heft/sizes" 2>/dev/null
}

# From the branch where it is known there, else by a build.
measure_base() {
	commit=$(base_commit)
	if fetch_branch && git show "refs/heft/sizes:$folder/$commit.size" >"$HEFT_DIR/base.size" 2>/dev/null; then
		say "$commit is on the branch $HEFT_BRANCH"
	else
		build "$commit" "$HEFT_DIR/base.size"
	fi
}

measure() {
	: "${HEFT_BUILD:?is how it is built}"
	mkdir -p "$HEFT_DIR"
	rm -f "$HEFT_DIR/base.size"
	build "$(git rev-parse HEAD)" "$HEFT_DIR/head.size"
	[ -z "${HEFT_BASE:-}" ] || measure_base
}

# Sets $made to a commit that has the sizes of the branch and those of $measured.  It has no parents, so that what is
# dropped takes no room; the log has the order.
make_commit() {
	commit=$measured parent='' log=$HEFT_DIR/log
	: >"$log"
	if fetch_branch; then
		parent=$(git rev-parse refs/heft/sizes)
		git read-tree refs/heft/sizes || return
		git show "refs/heft/sizes:$folder/log" 2>/dev/null | grep -v "^$commit$" >"$log"
	fi
	echo "$commit" >>"$log"
	tail -n "${HEFT_KEEP:-100}" "$log" >"$log.kept"
	grep -vxF -f "$log.kept" "$log" | while read -r old; do
		git update-index --force-remove "$folder/$old.size"
	done
	size=$(git hash-object -w "$HEFT_DIR/head.size") && list=$(git hash-object -w "$log.kept") &&
		git update-index --add --cacheinfo "100644,$size,$folder/$commit.size" &&
		git update-index --add --cacheinfo "100644,$list,$folder/log" &&
		tree=$(git write-tree) &&
		made=$(git -c user.name=heft -c user.email=heft@localhost commit-tree "$tree" -m "sizes up to $commit")
}

push_sizes() {
	GIT_INDEX_FILE=$(cd "$HEFT_DIR" && pwd)/index made=''
	export GIT_INDEX_FILE
	rm -f "$GIT_INDEX_FILE"
	make_commit || made=''
	rm -f "$GIT_INDEX_FILE" "$HEFT_DIR/log" "$HEFT_DIR/log.kept"
	unset GIT_INDEX_FILE
	# An empty name would take the branch away.
	[ -n "$made" ] &&
		git push --quiet --force-with-lease="$HEFT_BRANCH:$parent" origin "$made:refs/heads/$HEFT_BRANCH"
}

# Another job may have pushed meanwhile.
keep_sizes() { # commit that head.size is of
	measured=$1
	if [ -n "${HEFT_STORE:-}" ]; then
		"$HEFT" history add --store "$HEFT_STORE" --product "$title" "$HEFT_DIR/head.size" >&2
	fi
	for try in 1 2 3 4 5 6 7 8; do
		if push_sizes; then
			say "$folder kept on the branch $HEFT_BRANCH"
			return
		fi
		say "the branch $HEFT_BRANCH changed meanwhile, or cannot be pushed"
		sleep "$try"
	done
	exit 2
}

keep() {
	: "${HEFT_BRANCH:?is where sizes are kept}"
	keep_sizes "$(git rev-parse HEAD)"
}

# A commit that does not build is told and left out.  The oldest comes first, as it would have done.
onboard() {
	: "${HEFT_BUILD:?is how it is built}" "${HEFT_BRANCH:?is where sizes are kept}" "${2:?is how many commits}"
	mkdir -p "$HEFT_DIR"
	fetch_branch || say "the branch $HEFT_BRANCH is not there yet"
	for each in $(git rev-list --first-parent --reverse --max-count="$2" HEAD); do
		if git cat-file -e "refs/heft/sizes:$folder/$each.size" 2>/dev/null; then
			say "$each is on the branch $HEFT_BRANCH"
		elif build "$each" "$HEFT_DIR/head.size"; then
			keep_sizes "$each"
		else
			say "$each is left out: it cannot be built or measured"
		fi
	done
}

# Sets $store to the history that courses are read from; empty: there is none.  The branch's sizes make one, whose builds
# come in the order of the log.
find_store() {
	store=${HEFT_STORE:-} number=0
	[ -z "$store" ] && fetch_branch || return 0
	if ! "$HEFT" history --help >/dev/null 2>&1; then
		say "the comment is without courses: heft-history is not installed"
		return 0
	fi
	rm -f "$HEFT_DIR/history.db"
	git show "refs/heft/sizes:$folder/log" 2>/dev/null | tail -n 20 | while read -r commit; do
		number=$((number + 1))
		git show "refs/heft/sizes:$folder/$commit.size" >"$HEFT_DIR/kept.size" &&
			"$HEFT" history add --store "$HEFT_DIR/history.db" --product "$title" --branch "$HEFT_BRANCH" \
				--commit "$commit" --time "@$number" "$HEFT_DIR/kept.size" >/dev/null ||
			say "$commit is left out of the courses"
	done
	rm -f "$HEFT_DIR/kept.size"
	[ ! -f "$HEFT_DIR/history.db" ] || store=$HEFT_DIR/history.db
}

# What another job has left is not trusted.  Of its files the two lists of symbols are read, which heft checks; nothing
# else of them gets into the comment, and none of them may lead elsewhere.
distrust() {
	kept=$(mktemp -d)
	for list in base head; do
		file=$HEFT_DIR/$list.size
		if ! [ -L "$HEFT_DIR" ] && ! [ -L "$file" ] && [ -f "$file" ] && [ -s "$file" ]; then
			mv "$file" "$kept/"
		fi
	done
	rm -rf "$HEFT_DIR"
	mv "$kept" "$HEFT_DIR"
	chmod 755 "$HEFT_DIR"
}

comment() {
	distrust
	if ! [ -s "$HEFT_DIR/base.size" ]; then
		say "there is nothing to compare with: no $HEFT_DIR/base.size"
		return
	fi
	set -- --title "$title" --base "$HEFT_DIR/base.size"
	marker=$("$HEFT" comment "$@" "$HEFT_DIR/base.size" | sed 1q)
	[ -z "${HEFT_BUDGET:-}" ] || set -- "$@" --budget "$HEFT_BUDGET"
	[ -z "${HEFT_NOISE:-}" ] || set -- "$@" --noise "$HEFT_NOISE"
	[ -z "${HEFT_PAGE_URL:-}" ] || set -- "$@" --page-url "$HEFT_PAGE_URL"
	[ -z "${HEFT_TEMPLATE:-}" ] || set -- "$@" --template "$HEFT_TEMPLATE"
	find_store
	[ -z "$store" ] || set -- "$@" --store "$store" --product "$title"
	status=0
	"$HEFT" comment "$@" "$HEFT_DIR/head.size" -o "$HEFT_DIR/comment.md" || status=$?
	[ -f "$HEFT_DIR/comment.md" ] || exit "$status"
	[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$HEFT_DIR/comment.md" >>"$GITHUB_STEP_SUMMARY"
	if [ -n "${HEFT_FORGE:-}" ]; then
		python3 "$here/post.py" "$HEFT_FORGE" "$marker" "$HEFT_DIR/comment.md"
	else
		cat "$HEFT_DIR/comment.md"
	fi
	exit "$status"
}

case ${1:-} in
install | measure | keep | comment) "$1" ;;
onboard) onboard "$@" ;;
*) sed -n '/^# usage/,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
