#!/bin/sh
# Builds, starts the server with a worker inside, waits for the demo, and says what to do next.
. "$(dirname "$0")/common.sh"
. local/make/docker.sh
. local/make/server.sh
# What goes on running after this script closes the descriptor of the lock.
exec 9>.build/run.lock
flock -n 9 || fail "Another make run is at work in this folder. Wait until it has ended."
need_go
need git git
need curl curl
need_docker
say "building"
local/make/build.sh
local/make/demo-image.sh
.build/berth-local env .env

locate
mkdir -p "$data_dir" || fail "DATA_DIR, $data_dir, cannot be made; the reason is above. Correct it in .env and run make again."
owner=$(stat -c %U "$data_dir")
[ "$owner" = "$(id -un)" ] || fail "DATA_DIR, $data_dir, belongs to the user $owner. Run make as that user: files of two users there would stop the server."
status_file=$data_dir/demo/status
port=$(setting PORT 8090)
app_url=$(setting APP_URL "http://localhost:$port")
# What a running server must have been started with, or it is restarted.
with=$({ cat .build/berth-local .env && say "$port $app_url $(setting TLS_WORKER_PORT 8443) $data_dir ${DOCKER_HOST:-}"; } | sha256sum | cut -c1-64)
started=
log_before=0

status() { cat "$status_file" 2>/dev/null || true; }
log_end() { tail -c "+$((log_before + 1))" "$log_file" | tail -n 15; }

# The demo's names and ports are the same everywhere, so that one machine can show it once.
refuse_second_demo() {
	refused=0
	curl -s -o /dev/null --noproxy '*' --max-time 3 http://127.0.0.1:8093/ || refused=$?
	[ $refused = 7 ] || fail "Port 8093 of this machine, on which the demo serves its Git repository, is in use; most likely by a Berth that was started in another folder.
End it there with make stop (ss -ltnp 'sport = :8093' shows the program), then run make again. Nothing was started."
	for project in hello guestbook; do
		docker ps -a --filter "label=com.docker.compose.project=$project" \
			--format '{{.Names}}|{{.Label "dev.berth.stack"}}|{{.Label "com.docker.compose.project.working_dir"}}'
	done >.build/demo-containers
	own=$(readlink -f "$data_dir")
	left=
	while IFS='|' read -r name stack folder; do
		gone=${folder%/worker/state/*}
		case $folder in "$own"/*)
			[ ! -e "$folder" ] || continue
			gone=$folder # of the data from before this folder was emptied
			;;
		esac
		if [ -n "$stack" ] && [ ! -e "$gone" ]; then
			say "the container $name is left from $gone, which is gone; the demo takes its place"
			left="$left $name"
		else
			fail "The demo needs the Compose projects hello and guestbook, and the container $name is in one of them; it was made from $folder.
Where it is not needed any more, remove it: docker rm -f $name. Then run make again. Nothing was started."
		fi
	done <.build/demo-containers
	# shellcheck disable=SC2086 # names hold no spaces; a deployment would not touch what another stack made
	[ -z "$left" ] || docker rm -f $left >/dev/null
}

start() {
	rm -f "$status_file"
	log_before=$(stat -c %s "$log_file" 2>/dev/null || echo 0)
	if [ "$log_before" -gt 10000000 ]; then
		mv "$log_file" "$log_file.1"
		log_before=0
	fi
	(
		load_env
		export PORT="$port" APP_URL="$app_url" DATA_DIR="$data_dir" LOCAL_WORKER=true
		exec setsid nohup .build/berth-local -demo >>"$log_file" 2>&1 </dev/null 9>&-
	) &
	started=$!
	echo "$started $with" >"$pid_file"
}

ended() {
	rm -f "$pid_file"
	fail "$(log_end)

The server ended; the end of its log, $log_file, is above. Correct the cause, such as a line of .env, and run make again."
}

# running reports whether the server is there or still on the way to its first instruction.
running() { alive || { [ -n "$started" ] && kill -0 "$started" 2>/dev/null; }; }

if alive && { [ "$(cut -d' ' -f2 "$pid_file")" != "$with" ] || [ "$(status)" != active ]; }; then
	say "restarting the server"
	local/make/stop.sh
fi
if alive; then
	rm -f "$status_file" # asks the server to add what somebody deleted of the demo
else
	refuse_second_demo
	start
fi

say "waiting for the demo stacks, hello and guestbook, for three minutes at most"
i=0
while [ -z "$(status)" ]; do
	running || ended
	[ $i -lt 1000 ] || fail "$(log_end)

The demo did not say within 200 seconds how it is; the end of the server's log, $log_file, is above. The server runs at $app_url; make stop ends it."
	sleep 0.2
	i=$((i + 1))
done
if [ "$(status)" != active ]; then
	sleep 1 # what the demo lacks may be ending the server just now
	running || ended
fi

say ""
say "Berth runs at   $app_url"
next="sign in at $app_url"
case $(curl -fsS --noproxy '*' --max-time 10 "http://127.0.0.1:$port/api/custom/setup") in
*'"needed":true'*)
	token=$(setting BOOTSTRAP_TOKEN '')
	next="open $app_url/setup, create the administrator with that token"
	[ -n "$token" ] || next="add a line BOOTSTRAP_TOKEN=<16 random characters or more> to .env, run make again, $next"
	say "Bootstrap token ${token:-is missing}"
	;;
esac
say ""
if [ "$(status)" != active ]; then
	fail "The demo $(status)
The server runs nevertheless. Remove the cause; then $next, go to Stacks, open the stack and press Sync. The log is $log_file."
fi
say "Next: $next,"
say "then Stacks > hello: two stacks of a Git repository are running."
say ""
say "The demo answers at http://127.0.0.1:18081 (hello) and http://127.0.0.1:18082 (guestbook)."
say "To see a commit become containers:"
say "  git clone $data_dir/demo/git/demo.git .build/demo-clone && cd .build/demo-clone"
say "  edit hello/site/index.html, git commit -am 'A change', git push"
say "make logs follows the server's log, make stop ends it; containers go on running."
