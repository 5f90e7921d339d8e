#!/bin/sh
# What must be clean beside the tests. --fast leaves out what needs the network.
. "$(dirname "$0")/common.sh"
need_go
unformatted=$("$(go env GOROOT)/bin/gofmt" -l core handlers hub local)
[ -z "$unformatted" ] || fail "These files are not formatted; gofmt -w does it:
$unformatted"
go vet ./...
[ "${1:-}" != --fast ] || exit 0
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
GOBIN=$(pwd -P)/.build/tools go install golang.org/x/vuln/cmd/govulncheck@v1.8.0
found=0
.build/tools/govulncheck ./... || found=$?
case $found in
0) ;;
3) fail "Known vulnerabilities are reached; govulncheck names them above. Raise the modules to the versions that it names." ;;
*) say "govulncheck could not look; the reason, such as a database out of reach, is above" ;;
esac
