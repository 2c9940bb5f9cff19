#!/usr/bin/env bash
# Set-up, build, all tests, then the host tests again under the sanitizers. Exit code 0 only if everything passed.
#
# usage: scripts/test.sh [--quick]      --quick leaves the sanitizers out
# shellcheck disable=SC2317 # functions are called through step()
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

quick=no
case ${1:-} in
    '') ;;
    --quick) quick=yes ;;
    --help) sed -n '2,4s/^# \{0,1\}//p' scripts/test.sh; exit 0 ;;
    *) echo "unknown option $1; see scripts/test.sh --help" >&2; exit 2 ;;
esac

# The programs that run threads of ours in one process; only these are built and run under ThreadSanitizer.
threaded_tests=(reduce_invariance reduce_special_values reduce_fast reduce_combine reduce_arguments
                test_communicate_self)

summary=()
closing=()
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step <title> <command...>: runs it, notes how it went, carries on.
step() {
    local title=$1 start=$SECONDS verdict=passed
    shift
    heading "$title"
    if ! "$@"; then
        verdict=FAILED
        failed=1
    fi
    summary+=("$(printf '%-7s %5d s  %s' "$verdict" $((SECONDS - start)) "$title")")
    [[ $verdict == passed ]]
}

skip() { summary+=("$(printf '%-7s          %s' skipped "$*")"); }

# configure_and_build <preset> [targets]
configure_and_build() {
    local preset=$1
    shift
    cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}

# run_ctest <arguments...>: its closing lines are kept for the summary.
run_ctest() {
    ctest "$@" --parallel "$jobs" 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    closing+=("$(grep -h 'tests passed' "$log" || true)")
    return "$status"
}

# Memory that MPI never gives back is not ours to report: no leak check there.
run_asan() {
    local options=strict_string_checks=1:allocator_may_return_null=1 status=0
    export UBSAN_OPTIONS=print_stacktrace=1
    ASAN_OPTIONS=$options run_ctest --preset asan --label-regex '^unit$' --label-exclude '^mpi$' || status=1
    if [[ -n $(command -v mpirun) ]]; then
        ASAN_OPTIONS=$options:detect_leaks=0 run_ctest --preset asan --label-regex '^mpi$' || status=1
    fi
    return "$status"
}

run_tsan() {
    local names
    names=$(IFS='|' && echo "${threaded_tests[*]}")
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1 \
        run_ctest --preset tsan --tests-regex "^($names)\$"
}

summarise() {
    heading "summary"
    printf '%s\n' "${summary[@]}"
    ((${#closing[@]} == 0)) || printf '%s\n' "${closing[@]}"
    if ((failed)); then echo "steadfold: FAILED"; else echo "steadfold: all passed"; fi
    exit $failed
}

step "set-up" scripts/setup.sh || summarise
if ! find_nvcc; then
    skip "CUDA parts: no nvcc on this machine, built without them"
elif (($(count_gpus) == 0)); then
    skip "GPU tests: nvcc is here, so CUDA code is compiled, but no GPU answers (see scripts/gpu_check.sh)"
fi
if ! command -v sbatch > /dev/null; then skip "Slurm tests: no sbatch on this machine"; fi

step "build (preset ci: warnings are errors)" configure_and_build ci || summarise
step "tests" run_ctest --preset ci || true

if [[ $quick == yes ]]; then
    skip "sanitizers: --quick"
else
    if step "build with AddressSanitizer and UndefinedBehaviorSanitizer" configure_and_build asan; then
        step "host tests under AddressSanitizer and UndefinedBehaviorSanitizer" run_asan || true
    fi
    if step "build with ThreadSanitizer" configure_and_build tsan "${threaded_tests[@]}"; then
        step "threaded tests under ThreadSanitizer" run_tsan || true
    fi
fi
summarise
