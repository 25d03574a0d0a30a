# Both packages of a release. From the clone's root, after ./bakeoff release-check:
#   docker build --file deploy/docker/release.Dockerfile --tag bakeoff .
#   docker run --rm --user "$(id -u):$(id -g)" --volume /etc/passwd:/etc/passwd:ro --volume "$PWD:/work" bakeoff run smoke
# Without --user it runs as 10001, which must be able to write to the folder; PostgreSQL needs the account's name.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE}
RUN --mount=type=bind,source=dist,target=/dist \
    pip install --no-cache-dir --root-user-action ignore --find-links /dist /dist/bakeoff-[0-9]*.whl \
    && useradd --uid 10001 --create-home bakeoff
USER 10001:10001
WORKDIR /work
HEALTHCHECK NONE
ENTRYPOINT ["bakeoff"]
CMD ["--help"]
