#!/bin/sh
# Brings a PostgreSQL server for the tests that talk to one, where it may: as root on Debian and its like, by the package, without the cluster that the package
# would start. Where one is installed it does nothing. Tests start servers of their own, on a socket in their temporary folder, and stop them.
# Where none can be had, it says why and succeeds: the tests then say at the end of the run that they were skipped.
set -eu
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0
command -v initdb >/dev/null && exit 0
say() { echo "no PostgreSQL server for the tests: $1" >&2; exit 0; }
command -v apt-get >/dev/null || say "there is no apt-get to install \`postgresql\` with"
[ "$(id -u)" = 0 ] || say "installing \`postgresql\` takes root"
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
export DEBIAN_FRONTEND=noninteractive
install() { timeout 300 apt-get install --yes --no-install-recommends postgresql >/dev/null 2>&1; }
install || { timeout 120 apt-get update >/dev/null 2>&1 && install; } || say "apt-get could not install \`postgresql\`"
