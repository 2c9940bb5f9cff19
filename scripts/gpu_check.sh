#!/usr/bin/env bash
# Everything that needs GPUs: build, the tests labelled gpu, compute-sanitizer on the reductions, and the main job with
# 1 to all GPUs in one process and with one process per GPU; the bits must agree. Writes one JSON of results.
#
# usage: scripts/gpu_check.sh [RESULTS.json]      default: build-gpu/gpu_check.json
#
# Environment: STEADFOLD_EXTRA_INCLUDE names a directory with CLI/ and nlohmann/ headers, where they are not installed.
# Exit code: 0 all passed, 1 something failed, 77 no GPU here.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [[ ${1:-} == --help ]]; then
    sed -n '2,8s/^# \{0,1\}//p' scripts/gpu_check.sh
    exit 0
fi

build="build-gpu"
results=${1:-$build/gpu_check.json}
work=$build/gpu_check
gpus=$(count_gpus)
if ((gpus == 0)); then
    echo "gpu_check: no GPU answers on this machine (nvidia-smi)" >&2
    exit 77
fi
if ! find_nvcc; then
    echo "gpu_check: there are GPUs, but no nvcc; install the CUDA Toolkit 13.0 or newer" >&2
    exit 1
fi
mkdir -p "$work" "$(dirname "$results")"
: > "$work/steps.tsv" # name, exit code, seconds, log file

# step <name> <seconds allowed> <command...>: output goes to a log; the last lines are shown if it fails.
step() {
    local name=$1 allowed=$2 start=$SECONDS status=0
    shift 2
    local log="$work/$name.log"
    timeout --kill-after=10 "$allowed" "$@" > "$log" 2>&1 || status=$?
    printf '%s\t%s\t%s\t%s\n' "$name" "$status" "$((SECONDS - start))" "$log" >> "$work/steps.tsv"
    case $status in
        0) printf 'passed  %4d s  %s\n' $((SECONDS - start)) "$name" ;;
        77) printf 'skipped %4d s  %s\n' $((SECONDS - start)) "$name" ;;
        *)
            printf 'FAILED  %4d s  %s (exit code %d%s)\n' $((SECONDS - start)) "$name" "$status" \
                "$( ((status == 124 || status == 137)) && echo ', timed out')"
            tail -n 25 "$log" | sed 's/^/    | /'
            ;;
    esac
    return "$status"
}

# sanitize <tool> <program>: the sanitizer-size subset of a test program.
sanitize() {
    local name filter='*Sanitizer*'
    name="$1_$(basename "$2")"
    # Of the many kernels of segments one type: racecheck takes minutes for each.
    if [[ $name == racecheck_*segmented* ]]; then filter='*Sanitizer*float64*'; fi
    step "$name" 300 env GTEST_FILTER="$filter" compute-sanitizer --tool "$1" --error-exitcode 1 "$2" || return 0
    if grep -q 'Running 0 tests' "$work/$name.log"; then
        echo "                note: $2 has no test named $filter"
    fi
}

# Several at once: they wait for the host more than for the GPU.
sanitize_all() {
    local program tool running=0 programs
    mapfile -t programs < <(find "$build/tests" -name 'test_*_cuda*' -type f -perm -u+x | sort)
    for program in "${programs[@]}"; do
        grep -q Sanitizer <("$program" --gtest_filter='*Sanitizer*' --gtest_list_tests) || continue
        for tool in racecheck memcheck initcheck; do
            if ((running++ >= at_once)); then wait -n; fi
            sanitize "$tool" "$program" &
        done
    done
    wait
}

# job <name> <command...>: the main job; its bits are kept for the comparison.
job() {
    local name=$1
    shift
    step "$name" 180 "$@" "$data:$dataset" --ops "$operations" --json --quiet --record "$work/$name.h5" || return 0
    grep -o '"bits": *\("[^"]*"\|\[[^]]*\]\)' "$work/$name.log" > "$work/$name.bits" || true
}

same_bits() {
    local reference=$work/job_host.bits file differing=0
    [[ -s $reference ]] || { echo "no bits to compare with"; return 1; }
    for file in "$work"/job_*.bits; do
        cmp "$reference" "$file" || differing=1
    done
    echo "compared: $(cd "$work" && echo job_*.bits)"
    return "$differing"
}

heading "gpu_check: $gpus GPU(s)"
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader
rm -f "$work"/*.h5 "$work"/*.bits

configure_and_build() {
    step configure 120 cmake -S . -B "$build" -G Ninja -DSTEADFOLD_CUDA=ON -DSTEADFOLD_WERROR=ON || return 1
    step build 900 cmake --build "$build" --parallel "$jobs"
}

if ! configure_and_build; then
    python3 scripts/gpu_check_report.py "$work/steps.tsv" "$results" || true
    exit 1
fi

at_once=$((jobs > 12 ? 6 : jobs > 3 ? jobs / 2 : 1)) # each has a process on the GPU, and its oracles on the host
step ctest_gpu 900 ctest --test-dir "$build" --label-regex gpu --parallel "$at_once" --output-on-failure || true

if command -v compute-sanitizer > /dev/null; then
    sanitize_all
else
    echo "skipped         compute-sanitizer is not on this machine"
fi

reduce=$build/apps/steadfold-reduce/steadfold-reduce
data=data/gshhg_polygon_areas.h5
dataset=The_km_squared_area_of_polygons
operations=sum,mean,var,min,max,argmax,l2
job job_host "$reduce" --device host
for ((k = 1; k <= gpus; ++k)); do
    job "job_one_process_${k}_gpus" "$reduce" --device cuda --gpus "$k"
done
if command -v mpirun > /dev/null; then
    for ((k = 1; k <= gpus; ++k)); do
        job "job_${k}_ranks_one_gpu_each" mpirun -n "$k" "$reduce" --device cuda --gpus 1
        job "job_${k}_ranks_nccl" mpirun -n "$k" "$reduce" --device cuda --gpus 1 --combine nccl
    done
fi
export work
export -f same_bits
job job_self_check "$reduce" --device cuda --self-check
step self_test 120 "$build/apps/steadfold-topo/steadfold-topo" --self-test || true
step same_bits 60 bash -c same_bits || true

heading "results"
python3 scripts/gpu_check_report.py "$work/steps.tsv" "$results"
