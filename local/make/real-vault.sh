#!/bin/sh
# Read in after common.sh by what tests against a real Vault server. Builds it once, of the module
# local/stand/realvault/server, and keeps it outside the checkout: that takes several minutes of processor time.

# need_vault makes sure of the server's program and exports where it is.
need_vault() {
	source=local/stand/realvault/server
	version=$(cat "$source"/go.mod "$source"/go.sum "$source"/*.go | sha256sum | cut -c1-12)
	BERTH_REAL_VAULT=${XDG_CACHE_HOME:-$HOME/.cache}/berth/vault-$version
	export BERTH_REAL_VAULT
	[ -x "$BERTH_REAL_VAULT" ] && return
	say "building Vault for tests, once; this takes a while"
	mkdir -p "$(dirname "$BERTH_REAL_VAULT")"
	(cd "$source" && CGO_ENABLED=0 GOWORK=off nice -n 19 go build -mod=readonly -buildvcs=false -trimpath -ldflags '-s -w' -o "$BERTH_REAL_VAULT.part" .) >.build/vault.log 2>&1 ||
		fail "$(tail -n 5 .build/vault.log)

Vault could not be built; the end of .build/vault.log is above."
	mv "$BERTH_REAL_VAULT.part" "$BERTH_REAL_VAULT"
}
