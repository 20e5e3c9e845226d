#!/bin/sh
# make_pages.sh HONE DIR: writes the manual pages and the shells' completions under DIR/share, as printed by the program
# HONE and the hone-runner beside it. The same programs give the same bytes.
set -eu
hone=$1
share=$2/share
mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
"$hone" man | gzip -9n >"$share/man/man1/hone.1.gz"
"$hone" completion bash >"$share/bash-completion/completions/hone"
"$hone" completion zsh >"$share/zsh/vendor-completions/_hone"
"$hone" completion fish >"$share/fish/vendor_completions.d/hone.fish"

# Escapes its help, because backslashes, hyphens and leading dots have a meaning for man.
runner=$(dirname "$hone")/hone-runner
version=$("$runner" --version | head -n 1 | cut -d ' ' -f 2)
{
  printf '.TH HONE\\-RUNNER 1 "" "hone %s" "User Commands"\n' "$version"
  printf '.SH NAME\nhone\\-runner \\- offers this machine to tuners of hone\n.SH SYNOPSIS\n.nf\n'
  "$runner" --help | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/^\./\\\&./' -e 's/^usage: //'
  printf '.fi\n.SH SEE ALSO\n.BR hone (1)\n'
} | gzip -9n >"$share/man/man1/hone-runner.1.gz"
