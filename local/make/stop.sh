#!/bin/sh
# Ends the server that "make run" started. Containers go on running.
. "$(dirname "$0")/common.sh"
. local/make/server.sh
if ! alive; then
	rm -f "$pid_file"
	say "no server of this folder runs"
	exit 0
fi
kill "$pid"
i=0
while alive; do
	[ $i -lt 150 ] || fail "The server with process id $pid was told to end and did not within 15 seconds; its log, local.log in DATA_DIR, says what it is at. To end it at once: kill -9 $pid"
	sleep 0.1
	i=$((i + 1))
done
rm -f "$pid_file"
say "stopped; containers go on running"
