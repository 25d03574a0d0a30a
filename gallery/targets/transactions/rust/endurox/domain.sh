#!/bin/sh
# Runs the domain that the NDRX_* variables describe until SIGTERM; then removes what it made in the kernel.
# $NDRX_APPHOME/ready exists as soon as servers can join.
set -eu

fail() {
    printf 'domain: %s\n' "$1" >&2
    exit 1
}

remove() {
    rm -f "$NDRX_QPATH$NDRX_QPREFIX",*
    # Enduro/X counts keys upwards from NDRX_IPCKEY, a hexadecimal number that ends with 0 and is this domain's own.
    for digit in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
        ipcrm -M "0x${NDRX_IPCKEY%0}$digit" -S "0x${NDRX_IPCKEY%0}$digit" 2>/dev/null || true
    done
}

stop() {
    trap - EXIT
    rm -f "$NDRX_APPHOME/ready"
    xadmin stop -c -y >/dev/null 2>&1 || true
    # Ended by now, unless it did not follow.
    kill -9 "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
    remove
    exit 0
}

PATH=$NDRX_HOME/bin:$PATH
LD_LIBRARY_PATH=$NDRX_HOME/lib:$NDRX_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH LD_LIBRARY_PATH
command -v ndrxd >/dev/null || fail "$NDRX_HOME/bin has no ndrxd: install Enduro/X, and name its folder in NDRX_HOME"

cd "$NDRX_APPHOME"
ndrxd -k "$NDRX_RNDK" &
daemon=$!
trap stop EXIT TERM INT
until [ -s "$NDRX_DPID" ]; do
    kill -0 "$daemon" 2>/dev/null ||
        fail "ndrxd ended before it was ready. It needs message queues: mkdir -p $NDRX_QPATH; mount -t mqueue none $NDRX_QPATH"
    sleep 0.02
done
xadmin start -y >/dev/null || fail "the domain did not start"
: >"$NDRX_APPHOME/ready"
wait "$daemon"
