#!/bin/sh
# Read in after common.sh by what tests against an earlier release: builds its server and its worker from this checkout's
# history, once, and keeps them below .build. EARLIER names another commit, or "none" to go without.

# need_earlier makes sure of the programs and exports where they are. It returns 1 when EARLIER says none.
need_earlier() {
	earlier=${EARLIER:-77da2a26db74000770490e7e0ae96b80675d5322}
	if [ "$earlier" = none ]; then
		say "EARLIER=none: nothing is shown of an earlier release"
		return 1
	fi
	commit=$(git rev-parse --quiet --verify "$earlier^{commit}") ||
		fail "The commit $earlier, which stands for an earlier release, is not in the history of this checkout. Fetch all of it (git fetch --unshallow), name another commit with EARLIER=..., or go without with EARLIER=none."
	BERTH_EARLIER=$(pwd -P)/.build/earlier/$commit
	export BERTH_EARLIER
	[ -x "$BERTH_EARLIER/local" ] && [ -x "$BERTH_EARLIER/worker" ] && return
	say "building the server and the worker of $earlier for tests, once; this takes some minutes"
	tree=$(pwd -P)/.build/earlier/tree
	rm -rf "$tree" && mkdir -p "$tree" "$BERTH_EARLIER"
	git archive "$commit" | tar -x -C "$tree"
	(cd "$tree" && nice -n 19 go build -buildvcs=false -trimpath -ldflags '-s -w -X main.version=earlier' -o "$BERTH_EARLIER/" ./hub/cmd/worker ./local) >.build/earlier.log 2>&1 ||
		fail "$(tail -n 5 .build/earlier.log)

The earlier release could not be built; the end of .build/earlier.log is above."
	rm -rf "$tree"
}
