import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AttachmentFacts, type PlanItem, runtimes } from '@attache/contracts';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { catalog } from '@attache/programs/catalog';
import { drivenRuntimes } from '@attache/programs/find-program';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../../../tests/harness/src/stack/program.ts';

// The result for files that people send, by each way to a model. A number is the longest side in pixels, or pages; `unknown` is
// blocked because nobody has confirmed that it is accepted. Models: one of each family that the way is used with.
const table = `
  way                   model               PNG      JPEG          HEIC        PDF        text  WAV
  claude-stream-json    claude-sonnet-4-6*  native   variant 2000  variant 48  native     text  tool
  claude-stream-json    claude-haiku-4-5*   native   variant 2000  variant 48  text       text  tool
  codex-app-server      gpt-5.5             native   variant 1809  variant 48  pages 120  text  tool
  acp                   example-vision      native   native        variant 48  text       text  blocked
  acp                   example-text        blocked  blocked       blocked     text       text  blocked
  acp                   example-omni        native   native        variant 48  native     text  native
  acp/claude-agent-acp  claude-sonnet-4-6*  native   variant 2000  variant 48  native     text  tool
  acp/codex-acp         gpt-5.5             native   variant 1809  variant 48  pages 120  text  tool
  acp/gemini            gemini-2.5-pro      native   variant 3072  variant 48  native     text  native
  acp/opencode          claude-sonnet-4-6*  native   variant 2000  variant 48  native     text  tool
  acp/opencode          gemini-2.5-pro      native   variant 2000  variant 48  native     text  tool
  pi-rpc                claude-sonnet-4-6*  native   variant 2000  variant 48  pages 120  text  tool
  acp                   unknown-model       unknown  unknown       unknown     text       text  unknown
  anthropic             claude-sonnet-4-6*  native   variant 2000  variant 48  native     text  blocked
  openai-responses      gpt-5.5             native   variant 2000  variant 48  pages 120  text  blocked
  openai-chat           gpt-5.5             native   variant 2000  variant 48  pages 120  text  unknown
  google                gemini-2.5-pro      native   variant 3072  native      native     text  native
`;

const [[, , ...columns] = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/ {2,}/));

type Target = {
  profile?: string;
  transport: string;
  program?: string;
  provider: string;
  model: string;
  plan: { items: [PlanItem] };
};
type Explained = { file: { mimeType: string; kind: string; facts: AttachmentFacts }; targets: Target[] };

const heic = new URL('../../../../packages/media/src/worker/__fixtures__/turned.heic', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'attache-explain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A second of silence: 8,000 samples of 16 bits. */
function buildWav(): Buffer {
  const header = Buffer.from('524946460000000057415645666d74201000000001000100401f0000803e00000200100064617461', 'hex');
  const samples = Buffer.alloc(16_000);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(samples.length);
  header.writeUInt32LE(header.length - 4 + samples.length, 4);
  return Buffer.concat([header, length, samples]);
}

beforeAll(async () => {
  const write = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, name), bytes);
  const screen = { width: 1440, height: 900, channels: 3, background: '#2f6f9f' } as const;
  write('screenshot.png', await sharp({ create: screen }).png().toBuffer());
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const photo = { width: 4000, height: 3000, channels: 3, background: '#808080', noise } as const;
  write('photo.jpg', await sharp({ create: photo }).withMetadata({ orientation: 6 }).jpeg().toBuffer());
  copyFileSync(heic, join(folder, 'photo.heic'));
  const lines = Array.from(
    { length: 40 },
    (_, line) => `Line ${line + 1}: the quarter ended as it had begun, quietly.`,
  );
  write('report.pdf', buildPdf(Array.from({ length: 120 }, () => lines)));
  // 日本語のテキストです。
  write('letter.txt', Buffer.from('93fa967b8cea82cc8365834c8358836782c582b781420d0a'.repeat(30), 'hex'));
  write('memo.wav', buildWav());
});

const explained = new Map<string, Promise<Explained>>();

/** Explains a file; asked once. */
function explain(name: string): Promise<Explained> {
  const asked = explained.get(name) ?? runExplain(name);
  explained.set(name, asked);
  return asked;
}

async function runExplain(name: string): Promise<Explained> {
  const env = { PATH: '/nowhere', INIT_CWD: folder };
  const options = { env, cwd: folder, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'explain', name, '--all', '--json'], options);
  return JSON.parse(stdout);
}

const wayOf = ({ transport, program }: { transport: string; program?: string | undefined }): string =>
  program === undefined ? transport : `${transport}/${program}`;

function findTarget(targets: readonly Target[], way = '', model = ''): Target {
  const found = targets.find((each) => each.profile === undefined && wayOf(each) === way && each.model === model);
  if (!found) throw new Error(`Nothing was said of ${model} by ${way}.`);
  return found;
}

/** A cell of the table. */
function describeForm({ becomes, checks, recipe }: PlanItem): string {
  if (recipe?.purpose === 'inline-image') return `${becomes} ${recipe.maxEdgePixels}`;
  if (recipe?.purpose === 'page-images') return `${becomes} ${recipe.pages}`;
  if (becomes !== 'blocked') return becomes;
  return Object.values(checks).includes('no') ? becomes : 'unknown';
}

describe('files as people send them', () => {
  it.each([
    ['PNG', 'screenshot.png', 'image/png', { width: 1440, height: 900 }],
    ['JPEG', 'photo.jpg', 'image/jpeg', { width: 3000, height: 4000 }],
    ['HEIC', 'photo.heic', 'image/heic', { width: 32, height: 48 }],
    ['PDF', 'report.pdf', 'application/pdf', { pages: 120, textBytes: expect.any(Number) }],
    ['text', 'letter.txt', 'text/plain', { encoding: 'shift_jis', hasByteOrderMark: false }],
    ['WAV', 'memo.wav', 'audio/wav', {}],
  ])('%s becomes what each agent and model can take [BX-19 DL-35 RP-10 SR-14]', async (kind, name, mimeType, facts) => {
    const { file, targets } = await explain(name);
    expect(file).toMatchObject({ mimeType, facts });
    const column = columns.indexOf(kind);
    const found = rows.map(([way, model]) => {
      const [item] = findTarget(targets, way, model).plan.items;
      return [way, model, describeForm(item)];
    });
    expect(found).toEqual(rows.map(([way, model, ...forms]) => [way, model, forms[column]]));
  });

  it('are looked at for every way that the catalog knows and a driver speaks', async () => {
    const { targets } = await explain('letter.txt');
    const covered = rows.map(([way, model]) => findTarget(targets, way, model));
    const undriven = runtimes.filter((runtime) => !drivenRuntimes.has(runtime));
    const usable = catalog.transports.filter(({ transport }) => !undriven.some((runtime) => runtime === transport));
    expect(targets.filter(({ transport }) => undriven.some((runtime) => runtime === transport))).toEqual([]);
    const missing = usable.filter((row) => {
      return !covered.some(
        (each) => wayOf(each) === wayOf(row) && (row.providers ?? [each.provider]).includes(each.provider),
      );
    });
    expect(missing.map(wayOf)).toEqual([]);
  });
});
