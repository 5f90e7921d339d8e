#!/bin/sh
# Builds, starts the server with a worker inside, waits for the demo, and says what to do next.
. "$(dirname "$0")/common.sh"
need_go
need git git
need curl curl
need_docker
say "building"
local/make/build.sh
local/make/demo-image.sh
.build/berth-local env .env

set -a
. ./.env
set +a
: "${PORT:=8090}" "${TLS_WORKER_PORT:=8443}" "${DATA_DIR:=./data}"
: "${APP_URL:=http://localhost:$PORT}"
export PORT APP_URL TLS_WORKER_PORT DATA_DIR LOCAL_WORKER=true
mkdir -p "$DATA_DIR"
pid_file=$DATA_DIR/local.pid
log_file=$DATA_DIR/local.log
status_file=$DATA_DIR/demo/status
built=$(sha256sum .build/berth-local .env | sha256sum | cut -c1-64)

alive() { [ -f "$pid_file" ] && kill -0 "$(cut -d' ' -f1 "$pid_file")" 2>/dev/null; }

if alive && [ "$(cut -d' ' -f2 "$pid_file")" != "$built" ]; then
	say "restarting the server; what runs in containers goes on running"
	local/make/stop.sh
fi
if ! alive; then
	rm -f "$status_file"
	setsid nohup .build/berth-local -demo >>"$log_file" 2>&1 </dev/null &
	echo "$! $built" >"$pid_file"
fi

say "waiting for the demo stacks"
i=0
while [ ! -s "$status_file" ]; do
	alive || fail "The server ended. The end of $log_file:
$(tail -n 15 "$log_file")"
	[ $i -lt 1000 ] || fail "The demo did not become active. The end of $log_file:
$(tail -n 15 "$log_file")"
	sleep 0.2
	i=$((i + 1))
done
status=$(cat "$status_file")
[ "$status" = active ] || fail "The demo: $status
The server runs nevertheless at $APP_URL; its log is $log_file."

needed=$(curl -fsS --max-time 10 "http://127.0.0.1:$PORT/api/custom/setup" | grep -c '"needed":true' || true)
say ""
say "Berth runs at   $APP_URL"
if [ "$needed" = 1 ]; then
	say "Bootstrap token $BOOTSTRAP_TOKEN"
	say ""
	say "Next: open $APP_URL/setup, create the administrator with that token,"
	say "then Stacks > hello: two stacks of a Git repository are running."
else
	say ""
	say "Next: sign in at $APP_URL, then Stacks > hello."
fi
say ""
say "The demo answers at http://127.0.0.1:18081 (hello) and http://127.0.0.1:18082 (guestbook)."
say "To see a commit become containers:"
say "  git clone $DATA_DIR/demo/git/demo.git .build/demo-clone && cd .build/demo-clone"
say "  edit hello/site/index.html, git commit -am 'A change', git push"
say "make logs follows the server's log, make stop ends it; containers go on running."
