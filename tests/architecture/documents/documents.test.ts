import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';

const WORDS = [
  'Tenant',
  'Session',
  'Participant',
  'Agent',
  'Message',
  'Profile',
  'Target',
  'Runtime',
  'Driver',
  'Turn',
  'Blob',
  'Attachment',
  'Variant',
  'Descriptor',
  'Digest',
  'Marker',
  'Capability',
  'Budget',
  'Delivery plan',
  'Projection',
  'Part',
  'Delivery',
  'Receipt',
  'Session log',
  'Outbox',
  'Epoch',
  'Grant',
];

const decisionsFolder = join(repositoryRoot, 'docs/adr');
const decisions = readdirSync(decisionsFolder)
  .filter((name) => /^\d{4}-[a-z0-9-]+\.md$/.test(name))
  .sort();

describe('the glossary', () => {
  const glossary = readFileSync(join(repositoryRoot, 'GLOSSARY.md'), 'utf8');
  const defined = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)].map((match) => match[1] ?? '');

  it('defines every word of the product, each once [SR-23]', () => {
    expect(WORDS.filter((word) => !defined.includes(word))).toEqual([]);
    expect(new Set(defined).size).toBe(defined.length);
  });
});

describe('the decisions', () => {
  const index = readFileSync(join(decisionsFolder, 'README.md'), 'utf8');

  it('are all listed in their index under their own title [SR-23]', () => {
    const listed = decisions.map((name) => `| ${name.slice(0, 4)} | [${readTitle(name)}](${name}) |`);
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.filter((row) => !index.includes(row))).toEqual([]);
  });

  it('are numbered without gaps: the number of a record that was folded leads to the one that holds it', () => {
    const folded = [...index.matchAll(/^\| (\d{4}) \| \[(\d{4})\]\((\2-[a-z0-9-]+\.md)\) \|$/gm)];
    expect(folded.map((row) => row[3] ?? '').filter((name) => !decisions.includes(name))).toEqual([]);
    const recorded = decisions.map((name) => name.slice(0, 4));
    const numbers = [...recorded, ...folded.map((row) => row[1])].map(Number).sort((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, position) => position + 1));
  });

  it.each(decisions)('%s says context, decision and consequences', (name) => {
    const sections = [...readDecision(name).matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(sections).toEqual(['Context', 'Decision', 'Consequences']);
  });
});

function readDecision(name: string): string {
  return readFileSync(join(decisionsFolder, name), 'utf8');
}

function readTitle(name: string): string {
  return /^# \d{4}: (.+)$/m.exec(readDecision(name))?.[1] ?? '';
}
