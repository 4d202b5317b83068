#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, runs all tests: plain, under ASan and UBSan, under TSan.
# The last line is "N passed, N failed[, N skipped]". See `scripts/test.sh --help`.
set -euo pipefail
cd "$(dirname "$0")/.."

usage()
{
    cat <<'TEXT'
usage: scripts/test.sh [--all] [--shared DIR] [--only BUILD]...
  --all         also the long tests, the benchmarks against peers, and failing allocations
  --shared DIR  folder with oracle cases and real rows, for the tests that use them
  --only BUILD  only this build: plain, asan, tsan, torture
TEXT
}

all=no
shared_dir=
only=()
while [ $# -gt 0 ]; do
    case "$1" in
    --all) all=yes ;;
    --shared) shared_dir="$(cd "${2:?--shared needs a folder}" && pwd)" && shift ;;
    --only) only+=("${2:?--only needs the name of a build}") && shift ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done

groups=(build test)
if [ "$all" = yes ]; then
    groups+=(peers)
fi
if ! scripts/packages.sh "${groups[@]}"; then
    echo "test.sh: packages are missing; going on with what is here" >&2
fi

# The peers of PyPI, for the test `peers`, which leaves out those that cannot be had.
fetch_peers()
{
    local folder="$PWD/build-test/peers"
    mkdir -p build-test
    if ! { python3 -m venv "$folder" && "$folder/bin/pip" install -q -r bench/peers.txt
         } </dev/null >build-test/peers.log 2>&1; then
        echo "test.sh: the peers of bench/peers.txt cannot be had; see build-test/peers.log" >&2
    fi
    export PEX_PEERS_PYTHON="$folder/bin/python"
}

if [ "$all" = yes ]; then
    fetch_peers
fi

logs=()
setup=quick
scale=10
if [ "$all" = yes ]; then
    setup=all
    scale=1
fi
launcher=()

# A build is a folder, options of its own, and the environment of its tests.
# run_build NAME [setup options..] -- [test arguments..]
run_build()
{
    local name="$1" folder="build-test/$1"
    local log="$folder/meson-logs/testlog-$setup.json"
    local options=("-Dshared_dir=$shared_dir" "-Dprefix=/usr/local")
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift

    echo "== $name"
    logs+=("$name=$log")
    rm -f "$log"
    local reconfigure=()
    if [ -f "$folder/build.ninja" ]; then
        reconfigure=(--reconfigure)
    else
        rm -rf "$folder"
    fi
    local output="build-test/$name.log"
    mkdir -p build-test
    if ! { meson setup "${reconfigure[@]}" "$folder" "${options[@]}" && ninja -C "$folder"
         } </dev/null >"$output" 2>&1; then
        grep -E -A 12 'FAILED|ERROR|error:|warning:' "$output" | head -n 120
        return 0
    fi
    : >"$log" # stays empty when no test of this build was asked for
    "${launcher[@]}" meson test -C "$folder" --no-rebuild --setup "$setup" "$@" </dev/null || true
}

is_wanted()
{
    [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " = *" $1 "* ]]
}

sanitized=(--buildtype=debugoptimized -Db_lundef=false)

plain()
{
    local options=(--buildtype=release -Dwerror=true -Dexamples=true)
    if [ "$all" = yes ]; then
        options+=(-Dbench=true)
    fi
    CK_TIMEOUT_MULTIPLIER=5 run_build plain "${options[@]}" -- -t 2
}

# Clang's sanitizers, so that both compilers have built every file; gcc's where clang is missing.
asan()
{
    local compiler=gcc
    if command -v clang-14 >/dev/null; then
        compiler=clang-14
    fi
    CC="$compiler" CK_TIMEOUT_MULTIPLIER=20 PEX_TEST_SCALE="$scale" \
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        run_build asan "${sanitized[@]}" -Db_sanitize=address,undefined -Dwerror=true \
        -- -t 5 --no-suite gates
}

tsan()
{
    local launcher=()
    # The shadow of gcc 12's TSan has no room for addresses as random as newer kernels make them.
    if setarch -R true 2>/dev/null; then
        launcher=(setarch -R)
    fi
    # The fake host of the suite ops has one thread.
    CK_FORK=no PEX_TEST_SCALE="$scale" \
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 \
        run_build tsan "${sanitized[@]}" -Db_sanitize=thread \
        -- -t 5 --no-suite gates --no-suite ops
}

# Every allocation fails once, under ASan.
torture()
{
    ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1 \
        run_build torture "${sanitized[@]}" -Db_sanitize=address,undefined \
        -Dfault_injection=true -- -t 10 --suite torture
}

builds=(plain asan tsan)
if [ "$all" = yes ]; then
    builds+=(torture)
fi
for build in "${builds[@]}"; do
    if is_wanted "$build"; then
        "$build"
    fi
done
python3 scripts/count_tests.py "${logs[@]}"
