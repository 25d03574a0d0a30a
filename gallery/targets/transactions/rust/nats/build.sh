#!/bin/sh
# Builds the two programs, and the NATS server that go.mod pins, into the workspace's folder.
set -eu
cd "$(dirname "$0")/.."
CARGO_PROFILE_RELEASE_PANIC=unwind cargo build --release --locked --package transaction-gateway --package sample-server
GOBIN="$PWD/../../target/bin" go -C nats install github.com/nats-io/nats-server/v2
