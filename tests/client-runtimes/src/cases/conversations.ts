import type { StreamedEvent } from '@attache/client';
import type { Delivery, TranscriptEntry } from '@attache/contracts';
import type { Case, Context } from '../context.ts';
import { expectEqual, expectTrue, waitFor } from '../expect.ts';
import { makePicture } from '../files.ts';

const ended = (delivery: Delivery) =>
  ['responded', 'failed', 'cancelled'].includes(delivery.status) ? delivery : undefined;

async function upload(context: Context, sessionId: string): Promise<string> {
  const { attachment } = await context.client.session(sessionId).upload(makePicture());
  await waitFor('the inspection', async () => {
    const { status } = await context.client.attachment(attachment.id).read();
    return status === 'pending' ? undefined : status;
  });
  return attachment.id;
}

export const conversationCases: readonly Case[] = [
  {
    name: 'a message is planned, sent, delivered and read back, and its events come once each although the stream is cut',
    async run(context) {
      const { client, plant, seen, openSession } = context;
      const { id } = await openSession();
      const session = client.session(id);
      const attachmentId = await upload(context, id);
      const { plans } = await session.plan({ text: 'Look.', attachmentIds: [attachmentId] });
      expectEqual(
        plans.map(({ decision, items }) => [decision, items.length]),
        [['deliver', 1]],
        'plans',
      );
      await plant({ method: 'GET', path: '/events', does: 'cut-answer', afterBytes: 100, count: 2 });
      await seen('GET', '/events');
      const events: StreamedEvent[] = [];
      const entries: TranscriptEntry[] = [];
      const states: unknown[] = [];
      const note = (state: unknown) => void states.push(state);
      const reader = new AbortController();
      const followers = [
        collect(session.events({ signal: reader.signal, onStatus: note }), events),
        collect(session.followTranscript({ signal: reader.signal }), entries),
      ];
      const { message, deliveries } = await session.send({ text: 'Look.', attachmentIds: [attachmentId] });
      const deliveryId = deliveries[0]?.id ?? '';
      const delivery = await waitFor('the end of the delivery', async () =>
        ended(await client.delivery(deliveryId).read()),
      );
      expectEqual([delivery.status, delivery.messageId], ['responded', message.id], 'the delivery');
      for (const follower of followers) follower.catch(note);
      await waitFor(
        () => `its event after ${events.length} (${states.join(', ')})`,
        () => events.find(({ kind }) => kind === 'delivery.responded'),
      );
      await waitFor('its entry', () =>
        entries.find((entry) => entry.type === 'delivery' && entry.status === 'responded'),
      );
      reader.abort();
      await Promise.all(followers);
      const seqs = events.flatMap((event) => ('seq' in event ? [event.seq] : []));
      expectEqual(
        seqs,
        seqs.map((_, index) => index + 1),
        'the seqs',
      );
      // A page that is slow to read loses what a cut stream had brought, and begins again: no id need be sent.
      expectTrue((await seen('GET', '/events')).length >= 3, 'it was opened again after each cut');
      const page = await session.transcript({ after: 1 });
      expectTrue(
        page.items.some((entry) => entry.type === 'message' && entry.text === 'Look.'),
        'the message is in the transcript',
      );
      const { urls } = await session.createUrls([attachmentId]);
      expectEqual(
        (await (await fetch(urls[0]?.url ?? '')).blob()).size,
        makePicture().size,
        'the bytes behind its URL',
      );
    },
  },
];

async function collect<T>(source: AsyncIterable<T>, into: T[]): Promise<void> {
  for await (const each of source) into.push(each);
}
