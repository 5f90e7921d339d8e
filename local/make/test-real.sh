#!/bin/sh
# Kills server and worker at 2,000 and more system calls while deployments flow: 1,800 with a worker
# whose containers are lines in files, 240 on the real container engine. make test runs a
# sample of it. About half an hour; KILL_POINTS and KILL_DOCKER_POINTS in the environment change the numbers.
. "$(dirname "$0")/common.sh"
. local/make/docker.sh
need_go
need git git
need strace strace
need_docker
export KILL_POINTS="${KILL_POINTS:-1800}" KILL_DOCKER_POINTS="${KILL_DOCKER_POINTS:-240}"
go test -count=1 -timeout 120m -v -run 'WhateverDies|Killed' "$@" ./local/kill
