#!/bin/sh
# Read in after common.sh by what tests against a real Gitea. Builds it once, of the module
# local/stand/realgitea/server, and keeps it outside the checkout: that takes many minutes of processor time.

# need_gitea makes sure of the server's program and exports where it is; the folder beside it, .files, has its templates.
need_gitea() {
	source=local/stand/realgitea/server
	version=$(cat "$source"/go.mod "$source"/go.sum "$source"/*.go | sha256sum | cut -c1-12)
	BERTH_REAL_GITEA=${XDG_CACHE_HOME:-$HOME/.cache}/berth/gitea-$version
	export BERTH_REAL_GITEA
	[ -x "$BERTH_REAL_GITEA" ] && return
	say "building Gitea for tests, once; this takes a while"
	mkdir -p "$(dirname "$BERTH_REAL_GITEA")"
	build_gitea "$source" >.build/gitea.log 2>&1 || fail "$(tail -n 5 .build/gitea.log)

Gitea could not be built; the end of .build/gitea.log is above."
	mv "$BERTH_REAL_GITEA.part" "$BERTH_REAL_GITEA"
}

build_gitea() (
	cd "$1"
	export CGO_ENABLED=0 GOWORK=off
	nice -n 19 go build -mod=readonly -buildvcs=false -trimpath -ldflags '-s -w' -o "$BERTH_REAL_GITEA.part" . || exit 1
	files=$(go list -mod=readonly -m -f '{{.Dir}}' gitea.dev) || exit 1
	rm -rf "$BERTH_REAL_GITEA.files"
	mkdir "$BERTH_REAL_GITEA.files" && cp -R "$files/templates" "$files/options" "$files/public" "$BERTH_REAL_GITEA.files" &&
		chmod -R u+w "$BERTH_REAL_GITEA.files"
)
