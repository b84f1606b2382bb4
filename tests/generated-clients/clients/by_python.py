import json
import os
import time
from io import BytesIO

STARTED = time.process_time()

from attache_client import AuthenticatedClient
from attache_client.api.attachments import upload_multipart
from attache_client.api.deliveries import read_delivery
from attache_client.api.events import list_events
from attache_client.api.messages import send_message
from attache_client.api.sessions import create_session
from attache_client.models import (
    AgentRequest,
    AgentRole,
    CreateSessionRequest,
    SendMessageRequest,
    TargetRequest,
    UploadMultipartBody,
)
from attache_client.types import File

IMPORT_SECONDS = time.process_time() - STARTED

# The main job by what `openapi-python-client` makes of the contract.


def main():
    client = AuthenticatedClient(base_url=os.environ["ATTACHE_URL"], token=os.environ["ATTACHE_KEY"])
    agent = AgentRequest(name="painter", role=AgentRole.LEAD, target=TargetRequest(profile="example"))
    session = create_session.sync(client=client, body=CreateSessionRequest(agents=[agent])).session
    note = File(payload=BytesIO(b"a note"), file_name="note.txt", mime_type="text/plain")
    uploaded = upload_multipart.sync(session.id, client=client, body=UploadMultipartBody(file=note))
    message = SendMessageRequest(to=[session.agents[0].id], text="look", attachment_ids=[uploaded.attachment.id])
    delivery = send_message.sync(session.id, client=client, body=message).deliveries[0]
    kinds = []
    after = 0
    while "delivery.responded" not in kinds:
        for event in list_events.sync(session.id, client=client, after=after).items:
            # The kind says which class it is, and what its data holds.
            kinds.append(event.kind)
            after = event.seq
            if event.kind == "delivery.failed":
                raise SystemExit(event.data.failure.code)
    delivery = read_delivery.sync(delivery.id, client=client).delivery
    done = {"status": delivery.status, "kinds": kinds, "sha256": delivery.receipt.items[0].sha256}
    print(json.dumps({**done, "importSeconds": IMPORT_SECONDS}))


if __name__ == "__main__":
    main()
