#!/bin/sh
# Makes the image of the demo stacks from our own static program; nothing is pulled.
. "$(dirname "$0")/common.sh"
need_go
image=${1:-berth-demo/app:1}
mkdir -p .build/demo-image
CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w' -o .build/demo-image/app ./local/demo/app
sum=$(sha256sum .build/demo-image/app | cut -c1-64)
[ "$(docker image inspect --format '{{index .Config.Labels "dev.berth.demo"}}' "$image" 2>/dev/null || true)" = "$sum" ] && exit 0
tar -C .build/demo-image -c app | docker import -c 'ENTRYPOINT ["/app"]' -c 'EXPOSE 8080' -c "LABEL dev.berth.demo=$sum" - "$image" >/dev/null
say "made the image $image"
