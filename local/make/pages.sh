#!/bin/sh
# Looks at every page as every role in a real browser, as make test does, and keeps a picture of each below .build/pages:
# wide and on a phone, light and dark.
. "$(dirname "$0")/common.sh"

need_go
need git git
need_browser
rm -rf .build/pages && mkdir -p .build/pages
go test -count=1 -timeout 30m -run InABrowser -artifacts -outputdir "$(pwd -P)/.build/pages" ./handlers
mv .build/pages/_artifacts/*/*.png .build/pages/ && rm -rf .build/pages/_artifacts
say "$(find .build/pages -name '*.png' | wc -l) pictures are in .build/pages"
