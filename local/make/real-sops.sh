#!/bin/sh
# Read in after common.sh by what tests with the command-line programs sops, age and age-keygen. Builds them once,
# of their released modules, and keeps them outside the checkout: sops takes some minutes of processor time.

# need_sops makes sure of the programs and exports the folder where they are.
need_sops() {
	sops=v3.13.3 age=v1.3.2
	BERTH_REAL_SOPS=${XDG_CACHE_HOME:-$HOME/.cache}/berth/sops-$sops-age-$age
	export BERTH_REAL_SOPS
	[ -x "$BERTH_REAL_SOPS/sops" ] && return
	say "building sops and age for tests, once; this takes some minutes"
	part=$BERTH_REAL_SOPS.part
	rm -rf "$part" && mkdir -p "$part"
	(build_sops) >.build/sops.log 2>&1 || fail "$(tail -n 5 .build/sops.log)

sops could not be built; the end of .build/sops.log is above."
	mv "$part" "$BERTH_REAL_SOPS"
}

build_sops() {
	export GOBIN="$part" CGO_ENABLED=0
	cd / && nice -n 19 go install -buildvcs=false "filippo.io/age/cmd/age@$age" && nice -n 19 go install -buildvcs=false "filippo.io/age/cmd/age-keygen@$age" &&
		nice -n 19 go install -buildvcs=false "github.com/getsops/sops/v3/cmd/sops@$sops"
}
