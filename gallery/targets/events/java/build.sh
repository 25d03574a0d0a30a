#!/bin/sh
# Builds one of the applications, unpacked and with a cache of its classes, with which the JVM starts faster.
#   build.sh rest|grpc|rest-tuned|grpc-tuned [OPTION…]   options of the JVM that will run it
set -eu
cd "$(dirname "$0")"
module=$1
shift
name=producer-api-java-$module
app=$module/target/app

# Spring Boot does not repackage when only a nested module has changed.
rm -f "$module/target/$name.jar" "$module/target/$name.jar.original"
./mvnw --batch-mode --no-transfer-progress --quiet --projects "$module" --also-make -DskipTests package
# Moved into place when complete: the previous one may be running, or another build.
new=$(mktemp -d "$app.XXXXXX")
trap 'rm -rf "$new"' EXIT
# Unpacked, because the JVM does not cache classes of nested jars.
./run.sh "$module/target/$name.jar" --extract "$new"
./run.sh "$@" "$new/$name.jar" --train
rm -rf "$app"
mv "$new" "$app"
