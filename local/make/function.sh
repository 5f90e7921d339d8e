#!/bin/sh
# Builds the function as template.yaml deploys it, for the processor ARCH: arm64 or x86_64.
. "$(dirname "$0")/common.sh"
need_go
case ${ARCH:-arm64} in
arm64) goarch=arm64 ;;
x86_64 | amd64) goarch=amd64 ;;
*) fail "ARCH is $ARCH; give arm64 or x86_64, as the parameter Architecture of template.yaml." ;;
esac
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
# Without the older of the host's two protocols, which needs net/rpc and starts slower.
CGO_ENABLED=0 GOOS=linux GOARCH=$goarch go build -buildvcs=false -trimpath -tags lambda.norpc -ldflags "-s -w -X main.version=$version" -o .build/function/bootstrap ./handlers/cmd/function ||
	fail "The function could not be built; the reason is above. Where modules cannot be fetched, set GOPROXY to a proxy that can be reached."
say ".build/function/bootstrap is built for ${ARCH:-arm64}"
