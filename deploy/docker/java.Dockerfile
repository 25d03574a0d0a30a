# One Java target. From the clone's root, with the arguments of [image] in its target.toml:
#   docker build --file deploy/docker/java.Dockerfile --build-arg PROJECT=gallery/targets/events/java --build-arg MODULE=rest \
#     --build-arg PROGRAM=producer-api-java-rest --tag producer-api-java-rest .
ARG JDK_IMAGE=eclipse-temurin:25-jdk

FROM ${JDK_IMAGE} AS poms
ARG PROJECT
WORKDIR /bakeoff/${PROJECT}
COPY ${PROJECT}/ ./
RUN find . -type f ! -name pom.xml ! -path './mvnw*' ! -path './.mvn/*' -delete && find . -type d -empty -delete

FROM ${JDK_IMAGE} AS build
ARG PROJECT
ARG MAVEN_OPTS
WORKDIR /bakeoff/${PROJECT}
COPY gallery/contract/ /bakeoff/gallery/contract/
COPY --from=poms /bakeoff/${PROJECT}/ ./
ARG MODULE
# Dependencies first: sources change more often. Without sources there is nothing to compile.
RUN ./mvnw --batch-mode --no-transfer-progress --quiet --projects ${MODULE} --also-make -DskipTests compile
COPY ${PROJECT}/ ./
ARG JVM_OPTIONS
RUN sh build.sh ${MODULE} ${JVM_OPTIONS}

# The same JDK: the cache of classes that the build makes is for no other.
FROM ${JDK_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home bakeoff
COPY deploy/docker/healthy /usr/local/bin/healthy
ARG PROJECT
ARG MODULE
# Where the clone has it: commands of target.toml hold inside too.
COPY --from=build /bakeoff/${PROJECT}/run.sh /bakeoff/${PROJECT}/run.sh
COPY --from=build /bakeoff/${PROJECT}/${MODULE}/target/app/ /bakeoff/${PROJECT}/${MODULE}/target/app/
WORKDIR /bakeoff/${PROJECT}/${MODULE}
ARG JVM_OPTIONS
ARG PROGRAM
RUN printf '#!/bin/sh\nexec /bakeoff/%s/run.sh %s /bakeoff/%s/%s/target/app/%s.jar\n' \
    "${PROJECT}" "${JVM_OPTIONS}" "${PROJECT}" "${MODULE}" "${PROGRAM}" >/usr/local/bin/serve \
    && chmod +x /usr/local/bin/serve
ARG HEALTH=grpc
ARG PORT=8080
ENV BIND=0.0.0.0 SERVER_PORT=${PORT} GRPC_SERVER_PORT=${PORT} HEALTH=${HEALTH}
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]
ENTRYPOINT ["serve"]
