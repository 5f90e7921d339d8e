#!/bin/sh
# What must be clean beside the tests. --fast leaves out what needs the network.
. "$(dirname "$0")/common.sh"
need_go
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || fail "not formatted: $unformatted"
go vet ./...
[ "${1:-}" != --fast ] || exit 0
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
go run golang.org/x/vuln/cmd/govulncheck@v1.8.0 ./... || say "govulncheck did not end well; see above whether it found something or could not reach its database"
