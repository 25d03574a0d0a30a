# The lab with the native engine. From the clone's root:
#   docker build --file deploy/docker/lab.Dockerfile --tag bakeoff-lab .
#   docker run --rm bakeoff-lab run smoke --attach NAME=http://host:8081
ARG RUST_IMAGE=rust:1.95-bookworm
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

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

FROM ${PYTHON_IMAGE}
ARG UV_VERSION=0.13.8
RUN pip install --no-cache-dir --root-user-action ignore uv==${UV_VERSION}
# Outside the volumes below: a container's start copies into a new volume what the image has there.
ENV UV_PROJECT_ENVIRONMENT=/opt/bakeoff/venv UV_LINK_MODE=copy BAKEOFF_RESULTS=/bakeoff/results
WORKDIR /bakeoff
# Dependencies first: sources change more often.
COPY lab/pyproject.toml lab/uv.lock lab/
RUN uv sync --quiet --locked --all-extras --compile-bytecode --no-dev --no-install-project --project lab --python "$(command -v python3)"
COPY . .
COPY --from=build /bakeoff/load/native/target/release/bakeoff-load load/native/target/release/bakeoff-load
# The engine counts as built, although nothing here could build it. The gallery and the tool share one folder of state.
RUN useradd --system --uid 10001 --create-home bakeoff \
    && mkdir -p .bakeoff results \
    && ln -s "$UV_PROJECT_ENVIRONMENT" .bakeoff/venv \
    && ln -s ../.bakeoff gallery/.bakeoff \
    && ./bakeoff build --adopt native \
    && chown -R bakeoff:bakeoff .bakeoff results
# All that the lab writes: the rest may be read-only.
VOLUME ["/bakeoff/.bakeoff", "/bakeoff/results"]
USER 10001:10001
HEALTHCHECK NONE
ENTRYPOINT ["/bakeoff/bakeoff"]
CMD ["--help"]
