// A gateway reduced to its child: starts the example agent, has it leave an orphan, says which processes there are, and waits.
import { childMarker } from '@attache/agent-process';
import { loadDriver } from '@attache/programs/drivers';
import { inherited, specOf } from './agent-spec.ts';

const [folder = '', replica = ''] = process.argv.slice(2);
let said = '';
const driver = await loadDriver('acp', { inherited, redact: (text) => text, client: { name: 'double', version: '0' } });
const started = await driver.start(specOf(folder, { marker: childMarker({ replica, incarnation: '1' }) }), {
  onOutput: async (item) => {
    said += item.type === 'text' ? item.text : '';
  },
  onDelta: () => undefined,
  onToolCall: async () => ({ decision: 'deny', reason: '' }),
  onToolResult: async ({ content }) => content,
});
if (started.status === 'failed') throw new Error(JSON.stringify(started.failure));
await started.agent.deliver({
  deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA',
  parts: [{ type: 'text', text: 'example: spawn-orphan\nexample: ignore-sigterm' }],
  contents: {
    embedded: () => ({ bytes: Buffer.alloc(0), sizeBytes: 0 }),
    text: () => '',
  },
  onWriting: async () => undefined,
  onWritten: async () => undefined,
});
process.stdout.write(`${said}\n`);
setInterval(() => undefined, 60_000);
