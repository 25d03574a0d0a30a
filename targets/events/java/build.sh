#!/bin/sh
# Builds one of the applications and lets the JVM that will run it learn beforehand what it can.
#   build.sh rest|grpc
set -eu
cd "$(dirname "$0")"
module=$1
name=producer-api-java-$module
app=$module/target/app

# Spring Boot leaves an application as it is when only a module that it holds has changed.
rm -f "$module/target/$name.jar" "$module/target/$name.jar.original"
./mvnw --batch-mode --no-transfer-progress --quiet --projects "$module" --also-make -DskipTests package
# Made beside and put in place when it is complete: the one before may be running, or another build.
new=$(mktemp -d "$app.XXXXXX")
trap 'rm -rf "$new"' EXIT
# Unpacked, for the JVM keeps nothing of classes in jars within a jar.
./run.sh "$module/target/$name.jar" --extract "$new"
./run.sh "$new/$name.jar" --train
rm -rf "$app"
mv "$new" "$app"
