#!/bin/sh
# Runs an application on the newest Java: that of JAVA_HOME, else the newest of /usr/lib/jvm, else the one on PATH.
# `--train` writes a cache beside the jar: loaded classes and, from Java 25 on, profiles. A JVM that finds the cache
# unsuitable, because it was made by another one, runs without it.
#   run.sh JAR [--extract FOLDER | --train]
#   run.sh -version
set -eu

release_of() {
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true
}

newest_home() {
    newest=0
    home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
    for candidate in /usr/lib/jvm/*; do
        candidate_release=$(release_of "$candidate")
        if [ -x "$candidate/bin/java" ] && [ "${candidate_release:-0}" -gt "$newest" ]; then
            newest=$candidate_release
            home=$candidate
        fi
    done
    echo "$home"
}

home=${JAVA_HOME:-$(newest_home)}
java=$home/bin/java
release=$(release_of "$home")
jar=$1
cache=${jar%.jar}-java${release:-0}.cache

if [ "${release:-0}" -ge 25 ]; then
    use=-XX:AOTCache=$cache
    make=-XX:AOTCacheOutput=$cache
    # Protobuf and Netty use sun.misc.Unsafe, which prints a warning at every start.
    quiet="-Xlog:aot=off,cds=off --sun-misc-unsafe-memory-access=allow"
else
    use=-XX:SharedArchiveFile=$cache
    make=-XX:ArchiveClassesAtExit=$cache
    quiet=-Xlog:cds=off,cds+dynamic=off,class+path=off
fi
# At start the service shares its cores with the compiler: less inlining halves the compiler's work.
compile="-XX:MaxInlineLevel=7 -XX:FreqInlineSize=120 -XX:InlineSmallCode=1000"
# The same for training as for running: another collector would make another cache.
set_up="$compile --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -Xms96m -Xmx448m $quiet"

case ${2:-} in
    --extract)
        exec "$java" -Djarmode=tools -jar "$jar" extract --destination "$3"
        ;;
    --train)
        export SPRING_PROFILES_ACTIVE=training SERVER_PORT=0 GRPC_SERVER_PORT=0 LOG_LEVEL=warn
        # shellcheck disable=SC2086 # a list of words
        exec "$java" $set_up "$make" -jar "$jar"
        ;;
esac
if [ "$jar" = -version ]; then
    exec "$java" -version
fi
[ -f "$cache" ] || use=
# shellcheck disable=SC2086 # a list of words
exec "$java" $set_up $use -jar "$jar"
