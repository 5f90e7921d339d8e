# Shared by the scripts beside it; they run from the repository's root.
set -eu
cd "$(dirname "$0")/../.."

say() { printf '%s\n' "$*"; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }

# as_root runs a command with the rights that installing needs.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# may_install reports whether packages can be installed without asking anyone.
may_install() {
	command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

# install PACKAGE... installs Debian packages.
install() {
	say "installing $*"
	if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >.build/install.log 2>&1; then
		as_root apt-get update -q >>.build/install.log 2>&1 || true
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>.build/install.log 2>&1 ||
			fail "The packages $* could not be installed; .build/install.log says why. Install them by hand and run make again."
	fi
}

# need COMMAND PACKAGE makes sure that a command is there.
need() {
	command -v "$1" >/dev/null 2>&1 && return
	may_install || fail "The command $1 is missing. Install the package $2 and run make again."
	install "$2"
}

docker_answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

no_docker() {
	fail "No Docker Engine can be used: $1
Berth runs stacks on one. Do one of these, then run make again:
  - install it:              apt-get install docker.io
  - start it:                systemctl start docker   (or, without systemd: dockerd &)
  - let this user reach it:  usermod -aG docker \$USER, and log in again
  - or name another one:     export DOCKER_HOST=tcp://… or unix://…"
}

# need_docker makes sure that a Docker Engine answers, and starts one if it can.
need_docker() {
	if ! command -v docker >/dev/null 2>&1; then
		may_install || no_docker "the docker command is missing and packages cannot be installed by this user."
		install docker.io
	fi
	docker_answers && return
	[ -z "${DOCKER_HOST:-}" ] || no_docker "DOCKER_HOST is $DOCKER_HOST, and nothing answers there."
	command -v dockerd >/dev/null 2>&1 || { may_install || no_docker "there is a client, but no engine."; install docker.io; }
	start_docker
	docker_answers || no_docker "the engine was started and does not answer; its log is .build/dockerd.log, if we started it."
}

start_docker() {
	if [ -d /run/systemd/system ]; then
		as_root systemctl start docker || true
	elif [ "$(id -u)" = 0 ]; then
		say "starting dockerd"
		setsid nohup dockerd >.build/dockerd.log 2>&1 </dev/null &
	else
		no_docker "it does not run, and this user may not start it."
	fi
	i=0
	while [ $i -lt 60 ] && ! docker_answers; do sleep 0.5; i=$((i + 1)); done
}

need_go() {
	command -v go >/dev/null 2>&1 || fail "Go is missing. Install Go $(sed -n 's/^go //p' go.mod) or newer from go.dev/dl and run make again."
}

mkdir -p .build
