#!/bin/sh
# Read in after common.sh by what tests against a real S3 server. Builds versitygw once, of its released module, and
# keeps it outside the checkout: it takes some minutes of processor time.

# need_s3 makes sure of the program and exports where it is.
need_s3() {
	gateway=v1.8.0
	BERTH_REAL_S3=${XDG_CACHE_HOME:-$HOME/.cache}/berth/versitygw-$gateway
	export BERTH_REAL_S3
	[ -x "$BERTH_REAL_S3" ] && return
	say "building versitygw for tests, once; this takes some minutes"
	part=$BERTH_REAL_S3.part
	rm -rf "$part" && mkdir -p "$part"
	(export GOBIN="$part" CGO_ENABLED=0 && cd / && nice -n 19 go install -buildvcs=false -trimpath -ldflags '-s -w' "github.com/versity/versitygw/cmd/versitygw@$gateway") >.build/versitygw.log 2>&1 ||
		fail "$(tail -n 5 .build/versitygw.log)

versitygw could not be built; the end of .build/versitygw.log is above."
	mv "$part/versitygw" "$BERTH_REAL_S3" && rmdir "$part"
}
