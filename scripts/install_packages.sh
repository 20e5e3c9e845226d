# Sourced by the other scripts: checks that all Debian packages for building, testing and the demo are installed.
# install_packages [--no-install]: as root it installs missing ones; otherwise it prints the command for that and fails.

HONE_PACKAGES="g++ cmake ninja-build ccache mold pkg-config git
  llvm-19-dev liblld-19-dev
  libonnx-dev libprotobuf-dev protobuf-compiler
  libzmq3-dev cppzmq-dev libsqlite3-dev libpq-dev zlib1g-dev libcurl4-openssl-dev libmicrohttpd-dev libpng-dev libturbojpeg0-dev nlohmann-json3-dev libcli11-dev libfmt-dev libsodium-dev
  libxgboost-dev
  libgtest-dev libgmock-dev libbenchmark-dev minisign
  python3-numpy python3-onnx python3-pytest libpython3-dev
  qemu-user-static iproute2 nftables"

hone_missing_packages() {
  local package
  for package in $HONE_PACKAGES; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

install_packages() {
  [ "${1:-}" = "--no-install" ] && return 0
  if ! command -v dpkg-query >/dev/null; then
    echo "note: this is not a Debian system; the packages' names are in scripts/install_packages.sh" >&2
    return 0
  fi
  local missing
  missing=$(hone_missing_packages)
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "packages are missing; install them with:" >&2
    echo "  sudo apt-get install --no-install-recommends -y $missing" >&2
    return 1
  fi
  echo "installing: $missing" >&2
  apt-get update -qq
  # shellcheck disable=SC2086  # one word per package
  DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -y -qq $missing >/dev/null
}
