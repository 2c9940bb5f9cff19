#!/usr/bin/env bash
# Fetches the headers of the newest nvidia-cuda-cccl package from PyPI, whose CUB has gpu_to_gpu determinism; nothing is
# installed. steadfold-bench measures it when it is built with -DSTEADFOLD_BENCH_CCCL=<what this prints>.
#
# usage: scripts/fetch_cccl.sh [DIRECTORY]      default: .deps/cccl, which git ignores
#
# Environment: STEADFOLD_CCCL_VERSION, e.g. 13.3.5.0.6, fetches that version instead of the newest.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [[ ${1:-} == --help ]]; then
    sed -n '2,7s/^# \{0,1\}//p' scripts/fetch_cccl.sh
    exit 0
fi

directory=${1:-.deps/cccl}
python=$(python_with pip)
if [[ -z $python ]]; then
    echo "fetch_cccl: needs a Python with pip" >&2
    exit 1
fi
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$wheels" \
    "nvidia-cuda-cccl${STEADFOLD_CCCL_VERSION:+==$STEADFOLD_CCCL_VERSION}"
mkdir -p "$directory"
"$python" -m zipfile -e "$wheels"/*.whl "$directory"
header=$(find "$directory" -path '*/cub/version.cuh' -print -quit)
if [[ -z $header ]]; then
    echo "fetch_cccl: the package has no cub/version.cuh" >&2
    exit 1
fi
realpath "$(dirname "$header")/.."
