# The k6 engine, with the documented scripts in /k6/scripts. From the clone's root:
#   docker build --file deploy/docker/k6.Dockerfile --tag bakeoff-k6 .
#   docker run --rm bakeoff-k6 k6 run /k6/scripts/rest-api-test.js -e TEST_MODE=smoke -e HOST=… -e PORT=8081
ARG GO_IMAGE=golang:1.26-bookworm
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${GO_IMAGE} AS build
ARG GOPROXY
ARG K6_VERSION=v1.8.1
RUN GOBIN=/bakeoff/.bakeoff/bin go install go.k6.io/k6@${K6_VERSION}

FROM ${PYTHON_IMAGE} AS environment
ARG UV_VERSION=0.13.8
RUN pip install --no-cache-dir --root-user-action ignore uv==${UV_VERSION}
ENV UV_PROJECT_ENVIRONMENT=/bakeoff/.bakeoff/venv UV_LINK_MODE=copy
WORKDIR /bakeoff
# Dependencies first: sources change more often.
COPY lab/pyproject.toml lab/uv.lock lab/
RUN uv sync --quiet --locked --no-dev --no-install-project --project lab --python "$(command -v python3)"

# The plans that the documented scripts send: one for each protocol.
FROM environment AS plans
COPY . .
RUN mkdir -p /k6/plans \
    && DATABASE_URL=unused ./bakeoff plan smoke --attach producer-api-go-rest=http://127.0.0.1:8081 >/k6/plans/rest.json \
    && DATABASE_URL=unused ./bakeoff plan smoke --attach producer-api-go-grpc=http://127.0.0.1:9090 >/k6/plans/grpc.json

FROM environment
RUN useradd --system --uid 10001 --no-create-home bakeoff
COPY --from=build /bakeoff/.bakeoff/bin/k6 /bakeoff/.bakeoff/bin/k6
COPY --from=plans /k6/plans/ /k6/plans/
COPY lab/src/bakeoff/formats/ lab/src/bakeoff/formats/
# Where the clone has it: commands of engine.toml hold inside too.
COPY load/k6/ load/k6/
COPY deploy/docker/k6 /usr/local/bin/k6
RUN ln -s /bakeoff/load/k6 /k6/scripts
ENV PATH=/bakeoff/.bakeoff/venv/bin:${PATH} PYTHONDONTWRITEBYTECODE=1
WORKDIR /bakeoff/load/k6
USER 10001:10001
# It serves nothing: that it works is what its stream shows.
HEALTHCHECK NONE
CMD ["k6", "version"]
