#!/usr/bin/env bash
# Configures and builds the library and the programs with every sensible combination of CUDA, MPI, NCCL and HDF5,
# with warnings as errors. Tests are left out.
#
# usage: scripts/build_matrix.sh [DIRECTORY]      default: build-matrix; one sub-directory a combination
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [[ ${1:-} == --help ]]; then
    sed -n '2,5s/^# \{0,1\}//p' scripts/build_matrix.sh
    exit 0
fi
directory=${1:-build-matrix}

#             CUDA MPI NCCL HDF5
combinations=("OFF OFF OFF OFF"
              "OFF OFF OFF ON"
              "OFF ON  OFF ON"
              "ON  OFF OFF ON"
              "ON  OFF ON  ON"
              "ON  ON  OFF ON"
              "ON  ON  ON  ON")

failed=0
results=()
for combination in "${combinations[@]}"; do
    read -r cuda mpi nccl hdf5 <<< "$combination"
    name="cuda-$cuda-mpi-$mpi-nccl-$nccl-hdf5-$hdf5"
    if [[ $cuda == ON ]] && ! find_nvcc; then
        results+=("skipped $name (no nvcc)")
        continue
    fi
    heading "$name"
    if cmake -S . -B "$directory/$name" -G Ninja -DSTEADFOLD_WERROR=ON -DSTEADFOLD_TESTS=OFF -DSTEADFOLD_APPS=ON \
            -DSTEADFOLD_CUDA="$cuda" -DSTEADFOLD_MPI="$mpi" -DSTEADFOLD_NCCL="$nccl" -DSTEADFOLD_HDF5="$hdf5" &&
        cmake --build "$directory/$name" --parallel "$jobs"; then
        results+=("built   $name")
    else
        results+=("FAILED  $name")
        failed=1
    fi
done

heading "build matrix"
printf '%s\n' "${results[@]}"
exit $failed
