#!/bin/sh
# Kills server and worker at 2,000 and more system calls while deployments and runs of jobs flow: 2,200 with a worker
# whose containers are lines in files, 240 on the real container engine; about one in eight does not come in time. make test runs a
# sample of it. Beside that it dies at 200 points each of set-up, of a change of SECRET_KEY and of a
# migration, at 150 each of backups and of restores, at 120 of a change of the data key, and is restarted 50 times under load. Variables of these names change the numbers.
# The provider of Vault's secrets is then held against a real Vault server, which is built when it is not there.
# template.yaml is held against the schema of AWS SAM, which is a large module that nothing else needs.
# Copies of backups go to a real S3 server, versitygw, and come back to an empty machine; it is built when it is not there.
# A Prometheus of today, which is built when it is not there, scrapes the whole program.
# A real Gitea, which is built when it is not there, is read from over HTTP and SSH, calls its webhook and is connected by OAuth.
# An earlier release, built from this checkout's history, works with this one in both directions, and becomes it.
# Files are exchanged with the command-line programs sops and age, which are built when they are not there.
. "$(dirname "$0")/common.sh"
. local/make/docker.sh
. local/make/real-earlier.sh
. local/make/real-gitea.sh
. local/make/real-prometheus.sh
. local/make/real-s3.sh
. local/make/real-sops.sh
. local/make/real-vault.sh
need_go
need git git
need strace strace
need_docker
export KILL_POINTS="${KILL_POINTS:-2200}" KILL_DOCKER_POINTS="${KILL_DOCKER_POINTS:-240}" KILL_START_POINTS="${KILL_START_POINTS:-200}" KILL_RESTORE_POINTS="${KILL_RESTORE_POINTS:-300}" KILL_KEY_POINTS="${KILL_KEY_POINTS:-120}" KILL_RESTARTS="${KILL_RESTARTS:-50}"
status=0
(cd local/stand/samschema && go test -count=1 -timeout 5m ./...) || status=1
go test -count=1 -timeout 120m -v -run 'WhateverDies|Killed' "$@" ./local/kill || status=1
need_s3
go test -count=1 -timeout 30m -v -tags reals3 -run RealS3 "$@" ./hub/adapter/s3 ./local/allinone || status=1
need_sops
go test -count=1 -timeout 30m -v -tags realsops -run RealSops "$@" ./hub/adapter/sops || status=1
need_current_prometheus
go test -count=1 -timeout 30m -v -tags realprometheus -run RealPrometheus "$@" ./local/watch || status=1
need_vault
go test -count=1 -timeout 30m -v -tags realvault -run RealVault "$@" ./hub/adapter/vault || status=1
if need_earlier; then
	go test -count=1 -timeout 30m -v -tags realearlier -run RealEarlier "$@" ./local/e2e || status=1
fi
need_gitea
go test -count=1 -timeout 30m -v -tags realgitea -run RealGitea "$@" ./local/e2e || status=1
exit $status
