#!/usr/bin/env bash
# Installs what steadfold needs from the distribution's packages (Debian 12, Ubuntu 24.04).
# Does nothing, and asks for no rights, where everything is there. CUDA and NCCL are used if present, never installed.
set -euo pipefail

required=(build-essential cmake ninja-build ccache git pkg-config libopenmpi-dev openmpi-bin libhdf5-dev hdf5-tools
          libcli11-dev nlohmann-json3-dev libmpfr-dev libgtest-dev python3 python3-h5py python3-numpy python3-pandas)
optional=(gmt-gshhg-low) # real data for scripts/demo.sh; data/ holds a small extract

if [[ ${1:-} == --help ]]; then
    printf 'usage: scripts/setup.sh\n\nInstalls: %s\nand, if available: %s\n' "${required[*]}" "${optional[*]}"
    exit 0
fi

# Without dpkg: the same needs by the programs, headers and modules they bring.
say_what_is_missing() {
    local missing=() command header module
    for command in c++ cmake ninja mpicc mpirun h5cc h5dump pkg-config python3 git; do
        command -v "$command" > /dev/null || missing+=("program $command")
    done
    for header in CLI/CLI.hpp nlohmann/json.hpp mpfr.h gtest/gtest.h; do
        echo "#include <$header>" | c++ -std=c++20 -fsyntax-only -x c++ - 2> /dev/null || missing+=("header <$header>")
    done
    for module in h5py numpy pandas; do
        python3 -c "import $module" 2> /dev/null || missing+=("Python module $module")
    done
    if ((${#missing[@]} == 0)); then
        echo "set-up: no apt here, but everything needed was found"
        return 0
    fi
    echo "set-up: this machine has no apt; please install:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    return 1
}

installed() {
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2> /dev/null) == installed ]]
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        echo "set-up: not root and no sudo; as root, please run: $*" >&2
        return 1
    fi
}

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    say_what_is_missing
    exit
fi

missing=()
for package in "${required[@]}"; do
    installed "$package" || missing+=("$package")
done
missing_optional=()
for package in "${optional[@]}"; do
    installed "$package" || missing_optional+=("$package")
done

if ((${#missing[@]} + ${#missing_optional[@]} == 0)); then
    echo "set-up: everything is installed"
    exit 0
fi

echo "set-up: installing ${missing[*]} ${missing_optional[*]}"
if ! as_root apt-get update -qq; then
    echo "set-up: the package lists could not be refreshed; trying with those at hand" >&2
fi
if ((${#missing[@]} > 0)); then
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
        echo "set-up: could not install: ${missing[*]}" >&2
        exit 1
    fi
fi
for package in "${missing_optional[@]}"; do
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package"; then
        echo "set-up: warning: $package is not available; data/ is used instead" >&2
    fi
done
echo "set-up: done"
