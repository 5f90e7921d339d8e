#!/bin/sh
# Builds the programs into .build.
. "$(dirname "$0")/common.sh"
need_go
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
for program in local:local hub:hub/cmd/hub worker:hub/cmd/worker; do
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version" -o ".build/berth-${program%%:*}" "./${program#*:}"
done
