#!/bin/bash
# clean_root.sh ROOT DEB...: makes ROOT, a folder in which programs of the packages run as on a new machine. It holds
# the packages' files, and the shared libraries of all their direct and indirect dependencies, taken from this machine.
# A dependency that a package does not name is missing.
set -euo pipefail
root=$1
shift
mkdir -p "$root"/{usr/{bin,lib,lib64},etc,dev,proc,tmp,home}
ln -s usr/lib usr/lib64 usr/bin "$root"
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
chmod 1777 "$root/tmp" "$root/home"

declare -A there
wanted=
for deb; do
  dpkg-deb --extract "$deb" "$root"
  there[$(dpkg-deb --field "$deb" Package)]=1
  wanted+=$(dpkg-deb --field "$deb" Depends),
done

# take CLAUSE: the first available of a list of alternatives, "libgcc-s1 (>= 3.0) | other".
take() {
  local name
  for name in $(echo "$1" | sed -e 's/([^)]*)//g' -e 's/|/ /g' -e 's/:[a-z]*//g'); do
    [ -z "${there[$name]:-}" ] || return 0
    dpkg-query --show --showformat '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || continue
    there[$name]=1
    dpkg --listfiles "$name" | { grep -E '/(ld-linux|[^/]+\.so)[^/]*$' || true; } | while read -r file; do
      [ -d "$file" ] && continue
      folder=$(realpath "${file%/*}") # /lib is a link
      mkdir -p "$root$folder"
      cp -a "$file" "$root$folder"
    done
    next+=$(dpkg-query --show --showformat '${Depends},${Pre-Depends},' "$name")
    return 0
  done
}

while [ -n "$wanted" ]; do
  next=
  while read -r clause; do
    [ -z "$clause" ] || take "$clause"
  done < <(echo "$wanted" | tr ',' '\n')
  wanted=$next
done
