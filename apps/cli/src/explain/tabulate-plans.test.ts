import { idFromUuid } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import type { LocalFile } from './inspect-locally.ts';
import { type ExplainTarget, listCatalogTargets } from './list-targets.ts';
import { planTarget } from './plan-target.ts';
import { tabulatePlans } from './tabulate-plans.ts';

const picture: LocalFile = {
  id: idFromUuid('attachment', '00000000-0000-4000-8000-000000000000'),
  name: 'scan.tiff',
  mimeType: 'image/tiff',
  kind: 'image',
  sizeBytes: 9_000_000,
  status: 'ready',
  facts: { width: 3000, height: 1000, hasAlpha: false },
  warnings: [],
};
const paper: LocalFile = {
  ...picture,
  mimeType: 'application/pdf',
  kind: 'document',
  facts: { pages: 3, textBytes: 0 },
};

function tabulate(file: LocalFile, isWanted: (target: ExplainTarget) => boolean) {
  const targets = listCatalogTargets().filter(isWanted);
  return tabulatePlans(
    file,
    targets.map((target) => planTarget(target, file)),
  );
}

describe('the table of an explanation', () => {
  it('has no way that this release has no driver for', () => {
    const ways = new Set(listCatalogTargets().map(({ transport }) => transport));
    expect(['codex-exec', 'opencode-serve', 'opencode-run'].filter((way) => ways.has(way as never))).toEqual([]);
    expect(ways.has('codex-app-server')).toBe(true);
  });

  it('has models with the same outcome in one row, and says which they are below it', () => {
    const { table, notes } = tabulate(picture, ({ transport }) => transport === 'codex-app-server');
    expect(table.rows).toEqual([
      [
        'codex-app-server',
        'openai: all others',
        'variant',
        'yyyyy',
        'TIFF → JPEG ≤ 1920 px ≤ 3.4 MiB',
        expect.any(String),
      ],
      [
        'codex-app-server',
        'openai: gpt-4, o3-mini',
        'blocked',
        'yyyn?',
        '-',
        expect.stringMatching(/^The model does not take images\./),
      ],
    ]);
    expect(notes.join('\n')).toMatch(/^All of openai: gpt-4o\*, .*gpt-4, o3-mini\.$/m);
  });

  it('says how each form is made', () => {
    const { table } = tabulate(paper, ({ provider }) => provider === 'example');
    expect(table.rows.map(([, model, becomes, , how]) => [model, becomes, how])).toEqual([
      ['example: example-vision', 'pages', '3 pages as JPEG ≤ 1568 px ≤ 768 KiB each'],
      ['example: example-text', 'blocked', '-'],
      ['example: example-omni', 'native', 'as it is'],
    ]);
  });

  it('says of an agent of the protocol that it was not asked, and of its sentence what is wrong and what to do [DL-12]', () => {
    const { table } = tabulate(picture, ({ transport, provider }) => transport === 'acp' && provider === 'unknown');
    const [[target, model, becomes, checks, , why = ''] = []] = table.rows;
    expect([target, model, becomes, checks]).toEqual(['acp', 'any other', 'blocked', 'yy???']);
    expect(why).toContain(
      'has not said whether it carries images: its program was not found, did not start, or was not asked yet. Choose an agent',
    );
    expect(why).toContain('The agent was not asked what it carries.');
  });

  it('of one target gives the warnings and the code below it', () => {
    const isText = ({ model }: ExplainTarget) => model === 'example-text';
    expect(tabulate(picture, isText).notes).toContain('Blocked, attachment_model_vision_unsupported.');
  });
});
