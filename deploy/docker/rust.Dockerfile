# One Rust target. From the clone's root, with the arguments of [image] in its target.toml:
#   docker build --file deploy/docker/rust.Dockerfile --build-arg DIRECTORY=gallery/targets/events/rust/rest \
#     --build-arg PACKAGE=producer-api-rust-rest --tag producer-api-rust-rest .
ARG RUST_IMAGE=rust:1.95-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${RUST_IMAGE} AS chef
ARG CARGO_CHEF_VERSION=0.1.78
RUN cargo install cargo-chef --locked --version ${CARGO_CHEF_VERSION}

FROM chef AS recipe
WORKDIR /bakeoff/gallery/targets
COPY gallery/targets/ ./
RUN cargo chef prepare --recipe-path /recipe.json

FROM chef AS build
WORKDIR /bakeoff/gallery/targets
COPY --from=recipe /recipe.json /recipe.json
ARG PACKAGE
# Dependencies first: sources change more often.
RUN cargo chef cook --release --locked --package ${PACKAGE} --recipe-path /recipe.json
COPY gallery/contract/ /bakeoff/gallery/contract/
COPY gallery/targets/ ./
RUN cargo build --release --locked --package ${PACKAGE}

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home bakeoff
COPY deploy/docker/healthy /usr/local/bin/healthy
ARG DIRECTORY
ARG PACKAGE
# Where the clone has it: commands of target.toml hold inside too.
COPY --from=build /bakeoff/gallery/targets/target/release/${PACKAGE} /bakeoff/gallery/targets/target/release/${PACKAGE}
WORKDIR /bakeoff/${DIRECTORY}
RUN ln -s /bakeoff/gallery/targets/target/release/${PACKAGE} /usr/local/bin/serve
ARG HEALTH=grpc
ARG PORT=8080
ENV BIND=0.0.0.0 SERVER_PORT=${PORT} GRPC_SERVER_PORT=${PORT} HEALTH=${HEALTH}
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]
ENTRYPOINT ["serve"]
