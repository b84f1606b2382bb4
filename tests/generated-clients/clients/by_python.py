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
from follow_session import follow

IMPORT_SECONDS = time.process_time() - STARTED

# The main job by what `openapi-python-client` makes of the contract.


def main():
    client = AuthenticatedClient(base_url=os.environ["ATTACHE_URL"], token=os.environ["ATTACHE_KEY"])
    agent = AgentRequest(name="painter", role=AgentRole.LEAD, target=TargetRequest(profile="example"))
    session = create_session.sync(client=client, body=CreateSessionRequest(agents=[agent])).session
    events = follow(client, session.id)
    followed = [next(events)]
    note = File(payload=BytesIO(b"a note"), file_name="note.txt", mime_type="text/plain")
    uploaded = upload_multipart.sync(session.id, client=client, body=UploadMultipartBody(file=note))
    message = SendMessageRequest(to=[session.agents[0].id], text="look", attachment_ids=[uploaded.attachment.id])
    delivery = send_message.sync(session.id, client=client, body=message).deliveries[0]
    for event in events:
        # The kind says which class it is, and what its data holds.
        followed.append(event)
        if event.kind == "delivery.failed":
            raise SystemExit(event.data.failure.code)
        if event.kind == "delivery.responded":
            break
    kinds = [event.kind for event in list_events.sync(session.id, client=client).items]
    resumed = next(follow(client, session.id, "2"))
    delivery = read_delivery.sync(delivery.id, client=client).delivery
    done = {"status": delivery.status, "kinds": kinds, "sha256": delivery.receipt.items[0].sha256}
    streamed = {"followed": [type(event).__name__ for event in followed], "resumedAt": resumed.seq}
    print(json.dumps({**done, **streamed, "importSeconds": IMPORT_SECONDS}))


if __name__ == "__main__":
    main()
