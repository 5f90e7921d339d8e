#!/bin/sh
# Builds the programs into .build.
. "$(dirname "$0")/common.sh"
need_go
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
for program in local hub/cmd/hub hub/cmd/worker handlers/cmd/function; do
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -tags lambda.norpc -ldflags "-s -w -X main.version=$version" -o ".build/berth-${program##*/}" "./$program" ||
		fail "./$program could not be built; the reason is above. Where modules cannot be fetched, set GOPROXY to a proxy that can be reached."
done
