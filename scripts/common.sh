# Shared by the scripts; source it after `set -euo pipefail`. Leaves the shell in the repository's root.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Open MPI as root (containers, CI) and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# shellcheck disable=SC2034
jobs=$(nproc)

heading() { printf '\n=== %s\n' "$*"; }

# A toolkit outside PATH is found in its usual place.
find_nvcc() {
    command -v nvcc > /dev/null && nvcc --version > /dev/null 2>&1 && return 0 # a wrapper may be left of a toolkit
    [[ -x /usr/local/cuda/bin/nvcc ]] || return 1
    export PATH=/usr/local/cuda/bin:$PATH
}

count_gpus() {
    # prints nothing but a number; 0 without a driver
    { nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null || true; } | grep -c '^[0-9]' || true
}

# The first Python that has the named module; empty if none has.
python_with() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c "import $1" 2> /dev/null; then
            echo "$candidate"
            return 0
        fi
    done
}
