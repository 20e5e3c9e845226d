#!/usr/bin/env bash
# Formats every C and C++ source in place. With --check it changes nothing and fails if a file is not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

format=$(command -v clang-format-19 || command -v clang-format || true)
if [ -z "$format" ]; then
  echo "clang-format-19 is not installed: the formatting is not looked at" >&2
  exit 0
fi
mode=(-i)
[ "${1:-}" = "--check" ] && mode=(--dry-run --Werror)
git ls-files -z -- '*.h' '*.cc' '*.c' | xargs -0 -r "$format" "${mode[@]}"
