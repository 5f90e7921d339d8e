#!/bin/sh
# Ends the server that "make run" started. Containers go on running.
. "$(dirname "$0")/common.sh"
if [ -f .env ]; then set -a; . ./.env; set +a; fi
pid_file=${DATA_DIR:-./data}/local.pid
[ -f "$pid_file" ] || exit 0
pid=$(cut -d' ' -f1 "$pid_file")
# The number may belong to another program by now.
if [ "$(readlink "/proc/$pid/exe" 2>/dev/null | sed 's/ (deleted)$//')" = "$(pwd)/.build/berth-local" ]; then
	kill "$pid"
	i=0
	while kill -0 "$pid" 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
	kill -0 "$pid" 2>/dev/null && fail "The server with process id $pid does not end; data/local.log says why."
	say "stopped"
fi
rm -f "$pid_file"
