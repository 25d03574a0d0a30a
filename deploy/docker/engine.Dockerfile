# The native engine. From the clone's root:
#   docker build --file deploy/docker/engine.Dockerfile --tag bakeoff-engine .
ARG RUST_IMAGE=rust:1.95-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${RUST_IMAGE} AS chef
ARG CARGO_CHEF_VERSION=0.1.78
RUN cargo install cargo-chef --locked --version ${CARGO_CHEF_VERSION}

FROM chef AS recipe
WORKDIR /bakeoff/load/native
COPY load/native/ ./
RUN cargo chef prepare --recipe-path /recipe.json

FROM chef AS build
WORKDIR /bakeoff/load/native
COPY --from=recipe /recipe.json /recipe.json
# Dependencies first: sources change more often.
RUN cargo chef cook --release --locked --recipe-path /recipe.json
COPY load/native/ ./
RUN cargo build --release --locked

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home bakeoff
# Where the clone has it: commands of engine.toml hold inside too.
COPY --from=build /bakeoff/load/native/target/release/bakeoff-load /bakeoff/load/native/target/release/bakeoff-load
RUN ln -s /bakeoff/load/native/target/release/bakeoff-load /usr/local/bin/bakeoff-load
WORKDIR /bakeoff/load/native
USER 10001:10001
# It serves nothing: that it works is what its stream shows.
HEALTHCHECK NONE
ENTRYPOINT ["bakeoff-load"]
