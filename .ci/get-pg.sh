#!/bin/bash
# A real Postgres with pgvector for the tests, from Debian's own packages, in a folder of its own. The packages are
# unpacked into a private root and run there by chroot, so nothing is installed on the host, and removing the folder
# (after stop) removes everything. Needs root, amd64 or arm64 Debian, and the mirror that apt is configured for.
#
#   .ci/get-pg.sh start DIR [--port 54329] [--suite trixie] [--major 17] [--also PACKAGE]...
#   .ci/get-pg.sh stop DIR
#
# start prints one line, DATABASE_URL=...; what is there already is used again, and a server that runs is left running.
# Exit codes: 0 done, 1 failed, 2 wrong use, 75 the packages cannot be reached (try again, or test without Postgres).
set -euo pipefail

readonly server_uid=54320 # unknown to the host, so that the server owns nothing there

usage() { sed -n '/^#   /s/^#   /usage: /p' "$0" >&2; exit 2; }
fail() { echo "get-pg: $1" >&2; exit "${2:-1}"; }

[[ $# -ge 2 ]] || usage
command=$1 dir=$2; shift 2
port=54329 suite=trixie major=17 also=()
while (( $# )); do
  [[ $# -ge 2 ]] || usage
  case $1 in
    --port) port=$2 ;;
    --suite) suite=$2 ;;
    --major) major=$2 ;;
    --also) also+=("$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $(id -u) = 0 ]] || fail 'only root may chroot; run it as root'

# The main archive of this release, wherever this machine gets it from.
configured_mirror() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v codename="$codename" '$2 == codename && $3 == "main" { print $1; exit }'
}

# Downloads with settings, lists and package state of its own: for this apt nothing is installed yet.
download() {
  local apt=$dir/apt mirror log=$dir/apt/log
  mirror=$(configured_mirror)
  [[ -n $mirror ]] || fail 'apt is not configured for a Debian mirror' 75
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,sources,none}
  : >"$apt/status"
  cat >"$apt/sources/debian.sources" <<END
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$apt/none";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Retries "3";
Acquire::http::Timeout "20";
END
  APT_CONFIG=$apt/apt.conf apt-get update -qq >"$log" 2>&1 &&
    APT_CONFIG=$apt/apt.conf apt-get install -qq -y --download-only \
      "postgresql-$major" "postgresql-$major-pgvector" dash "${also[@]}" >>"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; fail "Postgres $major cannot be had from Debian $suite at $mirror now" 75; }
}

# Unpacked, not installed: no package script runs. The packages left out serve those scripts and the JIT only.
unpack() {
  local deb link
  for deb in "$dir"/apt/cache/archives/*.deb; do
    case ${deb##*/} in
      libllvm* | libz3* | perl* | libperl* | postgresql-common* | openssl_* | netbase* | ssl-cert* | debconf* | dpkg_* | tar_*) ;;
      *) dpkg -x "$deb" "$root" ;;
    esac
  done
  for link in bin sbin lib lib64; do [[ -e $root/$link ]] || ln -s "usr/$link" "$root/$link"; done
  mkdir -p "$root"/{tmp,dev/shm,proc,etc,data}
  chmod 1777 "$root"/{tmp,dev/shm}
  [[ -e $root/dev/null ]] || mknod -m 666 "$root/dev/null" c 1 3
  [[ -e $root/dev/urandom ]] || mknod -m 666 "$root/dev/urandom" c 1 9
  printf 'root:x:0:0::/:/bin/sh\npostgres:x:%s:%s::/data:/bin/sh\n' $server_uid $server_uid >"$root/etc/passwd"
  printf 'root:x:0:\npostgres:x:%s:\n' $server_uid >"$root/etc/group"
  chown $server_uid:$server_uid "$root/data"
  echo "$major" >"$dir/major"
  rm -rf "$dir/apt"
}

in_root() { local program=$1; shift; chroot --userspec=$server_uid:$server_uid "$root" "/usr/lib/postgresql/$major/bin/$program" "$@"; }
runs() { [[ -e $root/data/pg/postmaster.pid ]] && in_root pg_ctl -D /data/pg status >/dev/null 2>&1; }

start() {
  if [[ ! -e $dir/major ]]; then
    rm -rf "$root"
    mkdir -p "$root"
    download
    unpack
  fi
  [[ $(<"$dir/major") = "$major" ]] || fail "$dir holds Postgres $(<"$dir/major"); give another folder for $major"
  if runs; then
    port=$(sed -n 4p "$root/data/pg/postmaster.pid")
  else
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || fail "port $port is taken; choose another with --port"
    [[ -e $root/data/pg/PG_VERSION ]] || in_root initdb -D /data/pg -U postgres -A trust --locale=C.UTF-8 -E UTF8 >/dev/null
    # A test database need not survive a power failure. Parallel HNSW builds before pgvector 0.8.2 write out of bounds (CVE-2026-3172).
    cat >"$root/data/pg/postgresql.auto.conf" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '/data'
max_connections = 100
fsync = off
max_parallel_maintenance_workers = 0
END
    in_root pg_ctl -D /data/pg -w -l /data/log start >/dev/null || { tail -n 5 "$root/data/log" >&2; fail 'the server does not start'; }
  fi
  in_root psql -h 127.0.0.1 -p "$port" -U postgres -qc 'create extension if not exists vector' >/dev/null 2>&1 ||
    fail "pgvector cannot be loaded; see $root/data/log"
  echo "DATABASE_URL=postgres://postgres@127.0.0.1:$port/postgres"
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
root=$dir/root
case $command in
  start) start ;;
  stop)
    [[ -e $dir/major ]] || fail "$dir holds no Postgres"
    major=$(<"$dir/major")
    if runs; then in_root pg_ctl -D /data/pg -m fast stop >/dev/null; fi
    ;;
  *) usage ;;
esac
