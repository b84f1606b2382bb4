import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Delivery, isFault } from '@attache/contracts';
import { exitCodes } from '../../exit-codes.ts';
import { type Demo, followDelivery, openSession, readResponded, upload } from '../demo-calls.ts';
import { formatDelivery, formatFailures, formatReceipt } from '../tell/format-delivery.ts';
import type { DemoFile } from './take-file.ts';

/** A picture goes to an agent, which answers what it received and gives another picture back. */
export async function showPicture(demo: Demo, picture: DemoFile): Promise<void> {
  const { api, steps } = demo;
  const session = await openSession(demo, [{ name: 'painter', model: 'example-vision' }]);
  const attachment = await upload(demo, session, picture);
  const { deliveries } = await steps.run('message accepted, plan frozen', () =>
    api.post<{ deliveries: Delivery[] }>(`/sessions/${session.id}/messages`, {
      to: session.agents.map(({ id }) => id),
      text: 'What do you see? Please make a card of it.',
      attachmentIds: [attachment.id],
    }),
  );
  const [queued] = deliveries;
  if (!queued) throw new Error('the message has no delivery');
  const { answer, outputIds } = await steps.run('delivered; the agent answered', () =>
    followDelivery(demo, session, queued),
  );
  const delivery = await readResponded(demo, queued);
  const sha256 = checkDigest(picture, delivery);
  if (!answer.includes(sha256)) throw new Error('the agent does not name the digest of what it received');
  const [outputId] = outputIds;
  if (outputId === undefined) throw new Error('the agent gave no file back');
  const path = await saveOutput(demo, outputId);
  steps.show('The agent says', answer.trim().split('\n'));
  steps.show('Its file', [path]);
  if (delivery.receipt) steps.show('Receipt', formatReceipt(delivery.receipt));
  steps.show('Timeline', formatDelivery(delivery));
}

function checkDigest(picture: DemoFile, delivery: Delivery): string {
  const sent = delivery.receipt?.items[0]?.sha256;
  const original = createHash('sha256').update(picture.bytes).digest('hex');
  if (delivery.plan.items[0]?.becomes === 'native' && sent !== original) {
    throw new Error('the receipt does not name the bytes that were uploaded');
  }
  return String(sent);
}

async function saveOutput({ api, steps, place }: Demo, outputId: string): Promise<string> {
  const folder = place.outputFolder;
  await mkdir(folder, { recursive: true });
  const { url } = await api.post<{ url: string }>(`/attachments/${outputId}/urls`, { ttlSeconds: 600 });
  const path = join(folder, `${outputId}.png`);
  await steps.run('derived image fetched by its signed URL', async () => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the signed URL answered ${response.status}`);
    await writeFile(path, new Uint8Array(await response.arrayBuffer()));
  });
  return path;
}

/** A model that takes no images refuses a picture before anything is sent; answers the exit code. */
export async function showRefusal(demo: Demo, picture: DemoFile): Promise<number> {
  const { api, steps } = demo;
  const session = await openSession(demo, [{ name: 'painter', model: 'example-text' }]);
  const attachment = await upload(demo, session, picture);
  const to = session.agents.map(({ id }) => id);
  const message = { to, text: 'What do you see?', attachmentIds: [attachment.id] };
  try {
    await api.post(`/sessions/${session.id}/messages`, message);
  } catch (error) {
    if (!isFault(error, 'DELIVERY_BLOCKED')) throw error;
    steps.show(
      'Refused before anything was sent',
      formatFailures(error.details.failures ?? [], error.details.plans ?? []),
    );
    return exitCodes.blocked;
  }
  throw new Error('a model without images took a picture');
}
