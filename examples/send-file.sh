#!/bin/sh
# Sends a file to an agent and prints the answer: sh send-file.sh FILE
set -eu

url="${ATTACHE_URL:-http://127.0.0.1:4100}/v1"
file="${1:?Usage: ATTACHE_API_KEY=atk_… sh send-file.sh FILE}"

call() {
  answer=$(curl --silent --show-error --fail-with-body --header "Authorization: Bearer ${ATTACHE_API_KEY:?}" "$@") || {
    # A refusal says what is wrong and what to do.
    printf '%s\n' "$answer" | jq -r '"\(.code): \(.detail)"' >&2
    exit 1
  }
  printf '%s\n' "$answer"
}

pick() {
  printf '%s\n' "$1" | jq -r "$2"
}

json='Content-Type: application/json'
agents='{"agents": [{"name": "reader", "role": "lead", "target": {"profile": "example"}}]}'
session=$(call "$url/sessions" --header "$json" --data "$agents")
session_url="$url/sessions/$(pick "$session" .session.id)"

name=$(basename "$file" | jq -rR @uri)
upload=$(call "$session_url/attachments?name=$name" --upload-file "$file" --header 'Content-Type: application/octet-stream')

message=$(jq -n --arg to "$(pick "$session" '.session.agents[0].id')" --arg file "$(pick "$upload" .attachment.id)" \
  '{to: [$to], text: "What is this?", attachmentIds: [$file]}')
sent=$(call "$session_url/messages" --header "$json" --data "$message")
delivery_url="$url/deliveries/$(pick "$sent" '.deliveries[0].id')"

while :; do
  delivery=$(call "$delivery_url")
  case $(pick "$delivery" .delivery.status) in
    responded) break ;;
    failed | cancelled)
      pick "$delivery" .delivery.failure.userMessage >&2
      exit 1
      ;;
  esac
  sleep 0.2
done

transcript=$(call "$session_url/transcript")
pick "$transcript" '.items[] | select(.type == "agent-item" and .item.type == "text") | .item.text'
