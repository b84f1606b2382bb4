import { writeFileSync } from 'node:fs';
import { Server } from 'node:http';
import { readStandaloneConfig, startStandalone } from '@attache/standalone';
import { startTelemetry } from '@attache/telemetry/setup';
const spans: any[] = [];
const arr: number[] = [];
const emit = Server.prototype.emit;
Server.prototype.emit = function (this: any, name: string, ...a: any[]) { if (name === 'request' && a[0].method === 'PUT') { const at = performance.timeOrigin + performance.now(); a[1].on('finish', () => { arr.push(at, performance.timeOrigin + performance.now()); }); } return emit.call(this, name, ...a); } as any;
const t = await startTelemetry({ serviceName: 'x', isExporting: false, onSpanEnd: (s) => spans.push(s) });
const stack = await startStandalone({ ...readStandaloneConfig(), port: 0, opsPort: 0 });
process.stdout.write(`ready on ${stack.url}\n`);
await new Promise((r) => process.once('SIGTERM', r));
const med = (x: number[]) => (x.toSorted((a, b) => a - b)[x.length >> 1] ?? NaN).toFixed(2);
const puts = spans.filter((s) => s.name.startsWith('PUT')).slice(20);
const rows: Record<string, number[]> = {};
const add = (k: string, v: number) => (rows[k] ??= []).push(v);
for (const p of puts) {
  const put = spans.find((s) => s.parentSpanId === p.spanId && s.name === 'put blob');
  const cr = spans.find((s) => s.parentSpanId === p.spanId && s.name.startsWith('create'));
  if (!put || !cr) continue;
  add('reserve', put.startMs - p.startMs);
  add('put', put.durationMs);
  add('create', cr.durationMs);
  add('after create', p.startMs + p.durationMs - cr.startMs - cr.durationMs);
  let best: number | undefined; for (let i = 0; i < arr.length; i += 2) if (arr[i]! <= p.startMs + 1 && arr[i + 1]! >= p.startMs) best = i;
  if (best !== undefined) { add('arrival→span', p.startMs - arr[best]!); add('span end→finish', arr[best + 1]! - p.startMs - p.durationMs); add('server total', arr[best+1]! - arr[best]!); }
}
writeFileSync('/tmp/prof/spans.txt', Object.entries(rows).map(([k, v]) => `${k} ${med(v)}`).join(' | ') + '\n');
await stack.stop(); await t.stop();
