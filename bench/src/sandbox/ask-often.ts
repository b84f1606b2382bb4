import { Agent, request } from 'node:http';

// Asks an API by a port of loopback, one request after the other on one connection, and says how long each first byte took in milliseconds.
// Arguments: port, how often.

const WARM_ASKS = 50;
const body = Buffer.alloc(40_000, 'A turn of a conversation. ');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const [port, asks] = process.argv.slice(2).map(Number);

function ask(): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const asked = request({ host: '127.0.0.1', port, method: 'POST', agent }, (answer) => {
      let tookMs: number | undefined;
      answer.on('data', () => {
        tookMs ??= performance.now() - startedAt;
      });
      answer.once('end', () => resolve(tookMs ?? Number.NaN));
    });
    asked.once('error', reject).end(body);
  });
}

const samples: number[] = [];
for (let round = -WARM_ASKS; round < (asks ?? 0); round += 1) {
  const tookMs = await ask();
  if (round >= 0) samples.push(tookMs);
}
agent.destroy();
process.stdout.write(JSON.stringify(samples));
