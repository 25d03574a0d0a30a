#!/bin/sh
# Runs a command as soon as the domain takes servers.
set -eu
until [ -e "$NDRX_APPHOME/ready" ]; do
    sleep 0.02
done
exec "$@"
