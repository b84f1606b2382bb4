import { type Delivery, idFromUuid, type Message } from '@attache/contracts';
import { describePresent, type FoundMessage, readDeliveriesOfMessage, type Tx } from '@attache/database';

/** A message as it was accepted, and the state of its deliveries. `text` is empty if it was erased. */
export async function describeMessage(
  tx: Tx,
  found: FoundMessage,
): Promise<{ message: Message; deliveries: Delivery[] }> {
  const { id, sessionId, text, attachmentIds, createdAt, schemaVersion } = found;
  const rows = await readDeliveriesOfMessage(tx, id);
  const deliveries = await Promise.all(rows.map((row) => describePresent(tx, row)));
  return {
    message: {
      id: idFromUuid('message', id),
      sessionId: idFromUuid('session', sessionId),
      to: deliveries.map(({ agentId }) => agentId),
      text,
      attachmentIds: attachmentIds.map((uuid) => idFromUuid('attachment', uuid)),
      createdAt: createdAt.toISOString(),
      schemaVersion,
    },
    deliveries,
  };
}
