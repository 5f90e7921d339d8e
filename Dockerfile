# One image, three commands: local (server on one machine), hub, worker.
#   docker build -t berth .
#   docker run -d -p 8090:8090 -p 8443:8443 -v berth:/data --env-file .env berth local
#   docker run -d -v /var/run/docker.sock:/var/run/docker.sock -v /var/lib/berth-worker:/var/lib/berth-worker -e SERVER_URL -e WORKER_TOKEN berth worker
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN for program in local hub/cmd/hub hub/cmd/worker; do \
      CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o "/out/$(basename "$program")" "./$program" || exit 1; \
    done

FROM ${BASE_IMAGE}
# The server fetches repositories with git; TLS to Git hosts and registries needs the authorities.
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /usr/local/bin/
RUN ln -s /usr/local/bin/local /usr/local/bin/berth-local && ln -s /usr/local/bin/hub /usr/local/bin/berth-hub && ln -s /usr/local/bin/worker /usr/local/bin/berth-worker
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 8090 8443
CMD ["local"]
