#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and cleans the licence texts of this machine: every copyright
# file below /usr/share/doc and every licence of Debian, one row a file.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build-quickstart
result="$folder/result"

scripts/packages.sh build

reconfigure=()
if [ -f "$folder/build.ninja" ]; then
    reconfigure=(--reconfigure)
fi
mkdir -p "$folder"
echo "quickstart.sh: building in $folder"
if ! { meson setup "${reconfigure[@]}" "$folder" --buildtype=release -Dtests=false &&
       ninja -C "$folder"
     } </dev/null >"$folder/quickstart.log" 2>&1; then
    tail -n 40 "$folder/quickstart.log" >&2
    echo "quickstart.sh: the build failed; all of its output is in $folder/quickstart.log" >&2
    exit 1
fi

rm -rf "$result"
mkdir -p "$result"
cat >"$result/job.json" <<'JSON'
{
    "dataset_path": ["/usr/share/doc/*/copyright", "/usr/share/common-licenses"],
    "input_format": "text",
    "process": [
        "whitespace_normalization_mapper",
        {"text_length_filter": {"min_len": 200}},
        {"words_num_filter": {"min_num": 50}},
        "document_deduplicator"
    ]
}
JSON

run=("$folder/tools/partexec" run "$result/job.json"
     --set "export_path=$result/licences.jsonl" --set "work_dir=$result/work" --set job_id=quickstart)
printf '\n$ %s\n' "${run[*]}"
"${run[@]}" </dev/null
python3 scripts/show_result.py "$result/work/quickstart/summary.json" "$result/licences.jsonl"
cat <<TEXT
What next:     $folder/tools/partexec --help, then "From the command line" in README.md;
               --set process.1.text_length_filter.min_len=5000 behind the run above keeps longer texts
TEXT
