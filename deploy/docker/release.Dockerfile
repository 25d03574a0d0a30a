# Both packages of a release. From the clone's root, after ./bakeoff release-check:
#   docker build --file deploy/docker/release.Dockerfile --tag bakeoff .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" bakeoff run smoke
# Without --user it runs as 10001, which must be able to write to the folder. PostgreSQL needs a name for the account:
# libnss-wrapper gives one to those that the image does not know. git checks out the commits of --against, in the cache,
# which is where every account can write: such accounts have no home.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends git libnss-wrapper && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,source=dist,target=/dist \
    pip install --no-cache-dir --root-user-action ignore --find-links /dist /dist/bakeoff-[0-9]*.whl \
    && useradd --uid 10001 --create-home bakeoff
ENV XDG_CACHE_HOME=/tmp
USER 10001:10001
WORKDIR /work
HEALTHCHECK NONE
ENTRYPOINT ["bakeoff"]
CMD ["--help"]
