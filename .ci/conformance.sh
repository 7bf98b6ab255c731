#!/usr/bin/env bash
# The MCP conformance suite and the Inspector against the service; apart from `run`, because it installs 330 MB of tools.
exec "$(dirname "$0")/../test/conformance/run.sh"
