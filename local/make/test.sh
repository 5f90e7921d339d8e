#!/bin/sh
# Sets up what the tests need and runs them all.
. "$(dirname "$0")/common.sh"
. local/make/docker.sh

# need_prometheus unpacks Prometheus and promtool alone: the package would start a server.
need_prometheus() {
	tools=$(pwd -P)/.build/tools
	PATH=$PATH:$tools/usr/bin
	command -v prometheus >/dev/null 2>&1 && command -v promtool >/dev/null 2>&1 && return
	command -v apt-get >/dev/null 2>&1 || fail "The command prometheus or promtool is missing, and $(why_not). Install Prometheus and run make again."
	say "unpacking prometheus"
	rm -rf "$tools" && mkdir -p "$tools"
	if ! download_prometheus >.build/install.log 2>&1; then
		as_root apt-get update -q >>.build/install.log 2>&1 || true # what it lacks, the next line tells
		download_prometheus >>.build/install.log 2>&1 || fail "$(tail -n 5 .build/install.log)

The package prometheus could not be fetched; the end of .build/install.log is above. Put prometheus and promtool on the PATH and run make again."
	fi
	dpkg-deb --fsys-tarfile "$tools"/prometheus_*.deb | tar -x -C "$tools" ./usr/bin/prometheus ./usr/bin/promtool
	rm "$tools"/prometheus_*.deb
}

download_prometheus() { (cd "$tools" && apt-get download -q prometheus); }

# need_busybox makes sure of a busybox that runs in an image of its own: Debian's package busybox needs the host's libraries.
need_busybox() {
	[ -x /bin/busybox ] && ! ldd /bin/busybox >/dev/null 2>&1 && return
	may_install || fail "A static /bin/busybox is missing, and $(why_not). Install the package busybox-static and run make again."
	install busybox-static
}

# need_postgres makes sure of PostgreSQL's programs, which Debian keeps off the PATH. The tests start servers of
# their own; a server that the package starts is left alone.
need_postgres() {
	for initdb in /usr/lib/postgresql/*/bin/initdb; do
		[ -x "$initdb" ] && return
	done
	command -v initdb >/dev/null 2>&1 && return
	may_install || fail "PostgreSQL's server is missing, and $(why_not). Install the package postgresql and run make again."
	install postgresql
}

# need_sshd makes sure of OpenSSH's server, which Debian keeps off the PATH. The tests start it themselves; one that
# the package starts is left alone.
need_sshd() {
	[ -x /usr/sbin/sshd ] || command -v sshd >/dev/null 2>&1 || {
		may_install || fail "OpenSSH's server is missing, and $(why_not). Install the package openssh-server and run make again."
		install openssh-server
	}
	need ssh-keygen openssh-client
}

need_go
need git git
need curl curl
need openssl openssl
need_sshd
need_postgres
need pgbouncer pgbouncer
need strace strace
need mkfs.ext4 e2fsprogs
need mount mount
need ip iproute2
need nft nftables
need_busybox
need_prometheus
need_browser
need_docker
local/make/check.sh --fast

# What is below local starts whole servers, containers and other things that take a machine's
# attention, so those packages follow each other. All run, even when something failed before.
status=0
# shellcheck disable=SC2046 # names of packages hold no spaces
go test -timeout 30m "$@" $(go list ./... | grep -v '^berth/local') || status=1
go test -timeout 40m -p 1 "$@" ./local/... || status=1
exit $status
