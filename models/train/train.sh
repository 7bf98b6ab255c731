#!/bin/sh
# Trains and packs the default model: models/train/train.sh CORPUS_DIR OUT_DIR [options of train.py]
# Needs Debian's python3-numpy, python3-numba and python3-onnx; about ten minutes on one core.
set -eu
corpus=$1 out=$2
shift 2
exec /usr/bin/python3 "$(dirname "$0")/train.py" --corpus "$corpus" --out "$out" "$@"
