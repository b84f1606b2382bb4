import { createClient } from '@attache/client';

// Uploads a file through the proxy of its own origin, shows it by its signed URL, and the events as they come.
const show = (id: string, text: string) => {
  const output = document.createElement('output');
  Object.assign(output, { id, textContent: text });
  document.getElementById('root')?.append(output);
};

const sessionId = location.hash.slice(1);
const session = createClient({ baseUrl: '/attache' }).session(sessionId);
const canvas = new OffscreenCanvas(8, 8);
canvas.getContext('2d')?.fillRect(0, 0, 8, 8);
try {
  const file = new File([await canvas.convertToBlob()], 'dot.png', { type: 'image/png' });
  const { attachment, displayUrl } = await session.upload(file);
  show('uploaded', attachment.id);
  for await (const event of session.events()) {
    if (event.kind !== 'attachment.ready') continue;
    const image = new Image();
    // The stack under test does not know the address of the proxy.
    image.src = `/attache${new URL(displayUrl).pathname}${new URL(displayUrl).search}`;
    await image.decode();
    show('shown', `${image.naturalWidth} × ${image.naturalHeight}`);
    break;
  }
} catch (error) {
  show('fault', (error as Error).message);
}
