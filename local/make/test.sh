#!/bin/sh
# Sets up what the tests need and runs them all.
. "$(dirname "$0")/common.sh"
need_go
need git git
need busybox busybox-static
need promtool prometheus
need chromium chromium
need strace strace
need_docker
[ -d /usr/share/fonts/truetype/dejavu ] || install fonts-dejavu-core
local/make/check.sh --fast
go test -timeout 30m "$@" ./...
