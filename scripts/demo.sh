#!/usr/bin/env bash
# The one command to see steadfold work: set-up, build, then real data reduced by 1, 2 and 4 MPI ranks. Shows that
# the bits agree and what the run record holds.
#
# usage: scripts/demo.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case ${1:-} in
    '') ;;
    --help) sed -n '2,5s/^# \{0,1\}//p' scripts/demo.sh; exit 0 ;;
    *) echo "unknown option $1; see scripts/demo.sh --help" >&2; exit 2 ;;
esac

program=build/apps/steadfold-reduce/steadfold-reduce
output=build/demo
operations=sum,mean,var,min,max,argmax,l2
dataset=The_km_squared_area_of_polygons

# Real data: the distribution's package if it is there, else the extract that comes with the repository.
find_data() {
    local file
    file=$(dpkg -L gmt-gshhg-low 2> /dev/null | grep '/binned_GSHHS_l\.nc$' || true)
    if [[ -r $file ]]; then echo "$file"; else echo data/gshhg_polygon_areas.h5; fi
}

# Of each result in a JSON answer: its name, its value and its bits. Fails if there is none.
results_of() {
    awk -F'"' '/": {$/ { name = $2 } $2 == "text" { value = $4 }
               $2 == "bits" { printf "%-7s %-22s %s\n", name, value, $4; found = 1 }
               END { exit !found }' "$1"
}

show_record() {
    local python
    python=$(python_with h5py)
    if [[ -n $python ]]; then
        "$python" scripts/show_record.py "$1"
    else
        h5dump -n 1 "$1"
    fi
}

heading "set-up"
scripts/setup.sh
find_nvcc || echo "no nvcc here: built without CUDA"

heading "build"
cmake --preset release -DSTEADFOLD_TESTS=OFF
cmake --build --preset release --parallel "$jobs"

file=$(find_data)
mkdir -p "$output"
heading "the data: $file"
"$program" "$file"

for ranks in 1 2 4; do
    heading "$operations of $dataset on $ranks rank(s)"
    rm -f "$output/run_$ranks.h5"
    mpirun -n "$ranks" "$program" "$file:$dataset" --ops "$operations" --json --record "$output/run_$ranks.h5" --quiet \
        > "$output/run_$ranks.json"
    results_of "$output/run_$ranks.json" | tee "$output/bits_$ranks.txt"
done

heading "do the bits agree?"
for ranks in 2 4; do
    if ! cmp "$output/bits_1.txt" "$output/bits_$ranks.txt"; then
        echo "steadfold: FAILED: 1 and $ranks ranks differ" >&2
        exit 1
    fi
done
echo "yes: 1, 2 and 4 ranks give the same bits in all $(wc -l < "$output/bits_1.txt") results"

heading "the record of the last run: $output/run_4.h5"
show_record "$output/run_4.h5"
