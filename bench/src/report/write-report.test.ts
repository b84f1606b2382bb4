import { describe, expect, it } from 'vitest';
import { replaceFigures } from './write-report.ts';

const text = [
  'Before',
  '<!-- figures of the hosted stack -->',
  'old',
  '<!-- end of figures -->',
  '<!-- figures of the embedded stack -->',
  '<!-- end of figures -->',
  'After',
].join('\n');

describe('the figures in the README', () => {
  it('are replaced for one stack, as often as need be, and the rest stays', () => {
    const once = replaceFigures(text, 'embedded', 'new');
    expect(once).toContain('hosted stack -->\nold\n');
    expect(once).toContain('embedded stack -->\n\nnew\n\n<!-- end of figures -->\nAfter');
    expect(replaceFigures(once, 'embedded', 'new')).toBe(once);
  });

  it('have nowhere to go without their markers', () => {
    expect(() => replaceFigures('nothing', 'hosted', 'new')).toThrow('no place');
  });
});
