# One image, three commands: local (server on one machine), hub, worker; and, as the target hub, one of
# the hub alone, for handlers that run on a function host.
#
#   docker build -t berth --build-arg VERSION="$(git describe --tags --always)" .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/out" berth local env /out/.env
#   docker run -d --name berth --restart unless-stopped --user berth -p 8090:8090 -p 8443:8443 -v berth:/data \
#     --env-file .env -e LOCAL_WORKER=false berth local
#   SERVER_URL=… WORKER_TOKEN=… docker run -d --name berth-worker --restart unless-stopped --network host \
#     -v /var/run/docker.sock:/var/run/docker.sock -v /var/lib/berth-worker:/var/lib/berth-worker -e SERVER_URL -e WORKER_TOKEN berth worker
#
#   docker build -t berth-hub --target hub .
#   docker run -d --name berth-hub --restart unless-stopped -p 8443:8443 -p 10.0.1.10:8091:8091 -v berth:/data --env-file hub.env berth-hub
#
# local and hub need no rights and run as the user berth; a folder of the host that is mounted as
# /data must belong to user 10001. worker needs the Docker socket, hence root, which is why that
# is the image's user; its data folder has the same path inside and outside, because containers
# mount what it holds, and the host's network gives it the host's name. LOCAL_WORKER stays false
# in a container: a worker inside could not offer the host a folder of the volume.
#
# There is no HEALTHCHECK: it would hold for three commands, of which one serves HTTP. What watches
# the server asks its /readyz; how a worker does is on the server's pages and in its metrics.
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN for program in local hub/cmd/hub hub/cmd/worker; do \
      CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o "/out/berth-${program##*/}" "./$program" || exit 1; \
    done

FROM ${BASE_IMAGE} AS base
# The server fetches repositories with git; TLS to Git hosts needs the authorities. tini collects
# the children of a git that had to be killed, which the first process of a container inherits.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin berth \
    && install -d -m 0700 -o berth -g berth /data
ENV DATA_DIR=/data
VOLUME /data
ENTRYPOINT ["tini", "--"]

# The port of workers, and HUB_LISTEN for the handlers: that one is for them alone.
FROM base AS hub
COPY --from=build /out/berth-hub /usr/local/bin/hub
USER berth
EXPOSE 8443 8091
CMD ["hub"]

FROM base
COPY --from=build /out/ /usr/local/bin/
RUN for command in local hub worker; do ln -s "berth-$command" "/usr/local/bin/$command"; done
EXPOSE 8090 8443
CMD ["local"]
