#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the packages that Pitwall is built from. As root or with sudo; does nothing when all are there.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

distribution=$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-unknown}" || printf unknown)
list=$root/packaging/packages-$distribution.txt
[ -f "$list" ] || fail "There is no list of packages for $distribution; it builds on Debian 12 and Ubuntu 24.04." \
  "Install what $root/packaging/packages-debian.txt names, then run packaging/build.sh."

wanted=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list" | tr -d ' \t')
missing=()
for package in $wanted; do
  [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "These packages are missing and there is no sudo; run as root:" \
    "apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
  say "sudo may ask for your password."
  sudo -v
fi
say "Installing ${#missing[@]} packages: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0)
with_pulse "${apt[@]}" update || fail "apt-get update failed. Check the network and the sources in /etc/apt."
with_pulse "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install the packages. Its last lines say why."
