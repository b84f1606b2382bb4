"""Sends a file to an agent and prints the answer: python3 send_file.py FILE"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("ATTACHE_URL", "http://127.0.0.1:4100")
KEY = os.environ.get("ATTACHE_API_KEY", "")


def call(method, route, body=None, content_type="application/json"):
    data = json.dumps(body).encode() if content_type == "application/json" and body is not None else body
    request = urllib.request.Request(f"{URL}/v1{route}", data=data, method=method)
    request.add_header("Authorization", f"Bearer {KEY}")
    if body is not None:
        request.add_header("Content-Type", content_type)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as refusal:
        # A refusal says what is wrong and what to do.
        problem = json.load(refusal)
        sys.exit(f"{problem['code']}: {problem['detail']}")


def main(path):
    agent = {"name": "reader", "role": "lead", "target": {"profile": "example"}}
    session = call("POST", "/sessions", {"agents": [agent]})["session"]

    name = urllib.parse.quote(os.path.basename(path))
    with open(path, "rb") as file:
        upload = call("PUT", f"/sessions/{session['id']}/attachments?name={name}", file.read(), "application/octet-stream")

    message = {
        "to": [session["agents"][0]["id"]],
        "text": "What is this?",
        "attachmentIds": [upload["attachment"]["id"]],
    }
    delivery = call("POST", f"/sessions/{session['id']}/messages", message)["deliveries"][0]
    while delivery["status"] not in ("responded", "failed", "cancelled"):
        time.sleep(0.2)
        delivery = call("GET", f"/deliveries/{delivery['id']}")["delivery"]
    if delivery["status"] != "responded":
        sys.exit(delivery.get("failure", {}).get("userMessage", delivery["status"]))

    for entry in call("GET", f"/sessions/{session['id']}/transcript")["items"]:
        if entry["type"] == "agent-item" and entry["item"]["type"] == "text":
            print(entry["item"]["text"])


if __name__ == "__main__":
    if len(sys.argv) != 2 or not KEY:
        sys.exit("Usage: ATTACHE_API_KEY=atk_… python3 send_file.py FILE")
    main(sys.argv[1])
