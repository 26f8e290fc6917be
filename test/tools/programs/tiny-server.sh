#!/bin/sh
# An MCP server of 2025 in a shell: fifty of them weigh nothing.
while IFS= read -r line; do
  id=${line##*\"id\":}
  id=${id%%[,\}]*}
  case "$line" in
    *'"method":"notifications/'*) continue ;;
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"tiny"}]}' ;;
    *'"method":"ping"'*) result='{}' ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id"
      continue
      ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
