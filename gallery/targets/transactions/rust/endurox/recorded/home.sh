#!/bin/sh
# Makes a folder for NDRX_HOME that answers as recorded: ./home.sh FOLDER
set -eu
here=$(dirname "$0")
mkdir -p "$1/bin" "$1/lib"
cp "$here/ndrxd" "$here/xadmin" "$1/bin"
cp "$here/answers.txt" "$1"
cc -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -o "$1/lib/libatmi.so" "$here/libendurox.c"
for name in libnstd libubf libatmisrvinteg; do ln -sf libatmi.so "$1/lib/$name.so"; done
