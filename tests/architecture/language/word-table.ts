/** A phrase that the documents and comments do without, and what to write. */
export type Replacement = { phrase: string; instead: string };

const HEADING = '### Words to replace';

/** Reads the table below its heading. A cell may name several phrases, each in backticks. Throws if there is none. */
export function readReplacements(markdown: string): Replacement[] {
  const [, section] = markdown.split(`${HEADING}\n`);
  const rows = (section?.split(/\n#/)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const replacements = rows.flatMap((row) => {
    const [, phrases = '', instead = ''] = row.split('|');
    return [...phrases.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => ({ phrase, instead: instead.trim() }));
  });
  if (replacements.length === 0) throw new Error(`There is no table below "${HEADING}".`);
  return replacements;
}

/** Finds a phrase as whole words. One with a capital letter is found only so. */
export function patternOf(phrase: string): RegExp {
  const escaped = phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+');
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, /[A-Z]/.test(phrase) ? 'g' : 'gi');
}
