#!/bin/sh
# Shared by the scripts beside it, which read it in; they run from the repository's root.
set -eu
cd "$(dirname "$0")/../.."
# Where Go's own archive puts it, and where daemons are that an ordinary user's PATH leaves out.
PATH=$PATH:/usr/local/go/bin:/usr/sbin:/sbin

say() { printf '%s\n' "$*"; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }

mkdir -p .build 2>/dev/null || true
[ -w .build ] ||
	fail "The folder $(pwd -P) cannot be written by the user $(id -un). Run make as the folder's owner, or in a clone of your own."

# as_root runs a command with the rights that installing needs.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

# may_install reports whether packages can be installed without asking anyone.
may_install() { command -v apt-get >/dev/null 2>&1 && may_be_root; }

# why_not says why may_install said no.
why_not() {
	if command -v apt-get >/dev/null 2>&1; then
		say "the user $(id -un) may not install packages (sudo would ask for a password, or is missing)"
	else
		say "this machine has no apt-get"
	fi
}

# install PACKAGE... installs Debian packages.
install() {
	say "installing $*"
	apt_install "$@" >.build/install.log 2>&1 && return
	as_root apt-get update -q >>.build/install.log 2>&1 || true # what it lacks, the next line tells
	apt_install "$@" >>.build/install.log 2>&1 || fail "$(tail -n 5 .build/install.log)

The packages $* could not be installed; the end of .build/install.log is above. Install them by hand and run make again."
}

# apt_install waits for another apt-get, such as that of the nightly upgrades.
apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=180 "$@"
}

# need COMMAND PACKAGE makes sure that a command is there.
need() {
	command -v "$1" >/dev/null 2>&1 && return
	may_install || fail "The command $1 is missing, and $(why_not). Install the package $2 and run make again."
	install "$2"
	command -v "$1" >/dev/null 2>&1 || fail "The package $2 was installed and brought no command $1. Put $1 on the PATH and run make again."
}

# need_go makes sure that there is a Go that can build this; one from 1.21 on fetches a newer one by itself.
need_go() {
	wanted=$(sed -n 's/^go //p' go.mod)
	command -v go >/dev/null 2>&1 || fail "Go is missing. Install Go $wanted or newer from https://go.dev/dl and run make again."
	go list -m >.build/go.log 2>&1 || fail "$(tail -n 5 .build/go.log)

The installed $(GOTOOLCHAIN=local go version 2>/dev/null || say Go) does not accept this module; the reason is above. Install Go $wanted or newer from https://go.dev/dl and run make again."
}

# need_browser makes sure of Chromium and of fonts with which it draws the same everywhere.
need_browser() {
	need chromium chromium
	[ -d /usr/share/fonts/truetype/dejavu ] || { may_install && install fonts-dejavu-core; } ||
		fail "The fonts of the package fonts-dejavu-core are missing, and $(why_not). Install them and run make again."
}
