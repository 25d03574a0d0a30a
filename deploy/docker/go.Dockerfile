# One Go target. From the clone's root, with the arguments of [image] in its target.toml:
#   docker build --file deploy/docker/go.Dockerfile --build-arg MODULE=gallery/targets/events/go \
#     --build-arg DIRECTORY=gallery/targets/events/go/rest --build-arg PACKAGE=./cmd/rest \
#     --build-arg PROGRAM=producer-api-go-rest --tag producer-api-go-rest .
ARG GO_IMAGE=golang:1.26-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
ARG GOPROXY
ARG MODULE
WORKDIR /bakeoff/${MODULE}
# Dependencies first: sources change more often.
COPY ${MODULE}/go.mod ${MODULE}/go.sum ./
RUN go mod download
COPY ${MODULE}/ ./
ARG PACKAGE
ARG PROGRAM
RUN go build -trimpath -o bin/${PROGRAM} ${PACKAGE}

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home bakeoff
COPY deploy/docker/healthy /usr/local/bin/healthy
ARG MODULE
ARG DIRECTORY
ARG PROGRAM
# Where the clone has it: commands of target.toml hold inside too.
COPY --from=build /bakeoff/${MODULE}/bin/${PROGRAM} /bakeoff/${MODULE}/bin/${PROGRAM}
WORKDIR /bakeoff/${DIRECTORY}
RUN ln -s /bakeoff/${MODULE}/bin/${PROGRAM} /usr/local/bin/serve
ARG HEALTH=grpc
ARG PORT=8080
ENV BIND=0.0.0.0 SERVER_PORT=${PORT} GRPC_SERVER_PORT=${PORT} HEALTH=${HEALTH}
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]
ENTRYPOINT ["serve"]
