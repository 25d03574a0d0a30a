#!/bin/sh
# Runs an application on the newest Java: that of JAVA_HOME, else the newest of /usr/lib/jvm, else the one on PATH.
# Options of the JVM come before the jar. `--train` starts the application without a server and writes a cache of its
# classes beside the jar, as Spring Boot documents it; a JVM that finds the cache unsuitable runs without it.
#   run.sh [OPTION…] JAR [--extract FOLDER | --train]
#   run.sh [OPTION…] JAR --main CLASS FOLDER [ARGUMENT…]   a class of a folder, with the application's beside it
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
options=
while [ "${1#-}" != "$1" ] && [ "$1" != -version ]; do
    options="$options $1"
    shift
done
jar=$1
if [ "$jar" = -version ]; then
    exec "$java" -version
fi
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
# The same for training as for running: another collector would need another cache.
options="--enable-native-access=ALL-UNNAMED $quiet$options"

case ${2:-} in
    --extract)
        exec "$java" -Djarmode=tools -jar "$jar" extract --destination "$3"
        ;;
    --train)
        # shellcheck disable=SC2086 # a list of words
        exec "$java" $options "$make" -Dspring.context.exit=onRefresh -jar "$jar"
        ;;
    --main)
        main=$3
        classes=$4
        shift 4
        # shellcheck disable=SC2086 # a list of words
        exec "$java" $options -cp "$classes:$jar" "$main" "$@"
        ;;
esac
[ -f "$cache" ] || use=
# shellcheck disable=SC2086 # a list of words
exec "$java" $options $use -jar "$jar"
