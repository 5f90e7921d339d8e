#!/bin/sh
# Read in after common.sh by the scripts that need a Docker Engine.

# docker_answers reports whether an engine does; .build/docker.log says what happened.
docker_answers() { timeout 20 docker version --format '{{.Server.Version}}' >.build/docker.log 2>&1; }

no_docker() {
	join=
	[ "$(id -u)" = 0 ] || join="
  - let this user reach it:  usermod -aG docker $(id -un), as root, then log in again"
	fail "No Docker Engine can be used: $1
Berth runs stacks on one. Do one of these, then run make again:
  - install it:              apt-get install docker.io, or what your system has in its place
  - start it:                systemctl start docker   (or, without systemd: dockerd &)$join
  - name another one:        export DOCKER_HOST=unix:///path/of/its/socket
It must run on this machine, because containers mount files that Berth writes here."
}

# need_docker makes sure that a Docker Engine answers, and starts one if it can. Where the
# docker command reaches it by its context alone, DOCKER_HOST tells the programs too.
need_docker() {
	if ! command -v docker >/dev/null 2>&1; then
		may_install || no_docker "the docker command is missing, and $(why_not)."
		install_docker
	fi
	if ! docker_answers; then
		[ -z "${DOCKER_HOST:-}" ] || no_docker "DOCKER_HOST is $DOCKER_HOST, and nothing that is usable answers there:
  $(tail -n 1 .build/docker.log)"
		refuse_forbidden
		if ! command -v dockerd >/dev/null 2>&1; then
			may_install || no_docker "there is a client but no engine, and $(why_not)."
			install_docker
		fi
		start_docker
	fi
	[ -z "${DOCKER_HOST:-}" ] || return 0
	host=$(docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null) || return 0
	[ "$host" = unix:///var/run/docker.sock ] || export DOCKER_HOST="$host"
}

# refuse_forbidden ends when the engine runs and this user may not talk to it.
refuse_forbidden() {
	! grep -q 'permission denied' .build/docker.log || no_docker "it runs, but the user $(id -un) may not use its socket."
}

# install_docker installs the engine and its command, which newer releases keep in a package
# of its own. A kernel with AppArmor refuses containers while its parser is missing.
install_docker() {
	install docker.io
	command -v docker >/dev/null 2>&1 || install docker-cli
	if [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ]; then need apparmor_parser apparmor; fi
}

start_docker() {
	may_be_root || no_docker "it does not run, and the user $(id -un) may not start it."
	started_by="journalctl -u docker"
	if [ -d /run/systemd/system ]; then
		as_root systemctl start docker || true # what it lacks, the wait below tells
	else
		say "starting dockerd"
		started_by=.build/dockerd.log
		[ "$(id -u)" = 0 ] || set -- sudo -n
		(
			exec 9>&- # the lock of make run ends with make run
			exec "$@" setsid nohup dockerd >.build/dockerd.log 2>&1 </dev/null
		) &
	fi
	i=0
	until docker_answers; do
		refuse_forbidden
		[ $i -lt 60 ] || no_docker "it was started and does not answer within 30 seconds; $started_by says why."
		sleep 0.5
		i=$((i + 1))
	done
}
