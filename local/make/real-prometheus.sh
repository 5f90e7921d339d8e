#!/bin/sh
# Read in after common.sh by what tests against a Prometheus of today, which sends headers of any name and asks
# for OpenMetrics. Builds it once, of the module local/stand/prometheus/server, and keeps it outside the checkout:
# that takes several minutes of processor time. Of discovery it has files and HTTP; the rest would be ever so much more.

# need_current_prometheus makes sure of the server's program and exports where it is.
need_current_prometheus() {
	source=local/stand/prometheus/server
	version=$(cat "$source"/go.mod "$source"/go.sum | sha256sum | cut -c1-12)
	BERTH_REAL_PROMETHEUS=${XDG_CACHE_HOME:-$HOME/.cache}/berth/prometheus-$version
	export BERTH_REAL_PROMETHEUS
	[ -x "$BERTH_REAL_PROMETHEUS" ] && return
	say "building Prometheus for tests, once; this takes a while"
	mkdir -p "$(dirname "$BERTH_REAL_PROMETHEUS")"
	(build_prometheus "$source") >.build/prometheus.log 2>&1 || fail "$(tail -n 5 .build/prometheus.log)

Prometheus could not be built; the end of .build/prometheus.log is above."
	mv "$BERTH_REAL_PROMETHEUS.part" "$BERTH_REAL_PROMETHEUS"
}

build_prometheus() {
	cd "$1" && CGO_ENABLED=0 GOWORK=off nice -n 19 go build -mod=readonly -buildvcs=false -trimpath -tags remove_all_sd -ldflags '-s -w' \
		-o "$BERTH_REAL_PROMETHEUS.part" github.com/prometheus/prometheus/cmd/prometheus
}
