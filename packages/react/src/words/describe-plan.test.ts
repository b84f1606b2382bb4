import type { DeliveryPlan, Failure } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { describePlans } from './describe-plan.ts';
import { createWords } from './words.ts';
import { zh } from './zh.ts';

const names = { nameOfAgent: () => 'claude', nameOfFile: () => 'report.pdf' };

const planOf = (becomes: string, failures: Partial<Failure>[] = []) =>
  ({ agentId: 'agt_1', items: [{ attachmentId: 'att_1', becomes }], failures }) as unknown as DeliveryPlan;

const describeAll = (plans: DeliveryPlan[], words = createWords()) =>
  describePlans(plans, words, names).map(({ text, reason }) =>
    [text, reason].join(' | ').replaceAll(/[\u2068\u2069]/g, ''),
  );

const failure = { code: 'attachment_encrypted', userMessage: 'It is encrypted. Remove its password.' } as const;

describe('a plan in words', () => {
  it.each([
    ['native', 'claude gets report.pdf as it is | '],
    ['variant', 'claude gets a copy of report.pdf that fits its model | '],
    ['pages', 'claude gets page images of report.pdf | '],
    ['text', 'claude gets the text of report.pdf | '],
    ['tool', 'claude can open report.pdf with a tool | '],
  ])('says of %s: %s [DL-08]', (becomes, text) => {
    expect(describeAll([planOf(becomes)])).toEqual([text]);
  });

  it('says why a file is blocked and what to do, in the words of the server or of the catalogue [DL-08]', () => {
    const blocked = planOf('blocked', [{ ...failure, attachmentId: 'att_1' as never }]);
    expect(describeAll([blocked])).toEqual(['claude cannot get report.pdf | It is encrypted. Remove its password.']);
    expect(describeAll([blocked], createWords(zh))).toEqual([
      `claude 无法接收 report.pdf | ${zh.reasons.attachment_encrypted}`,
    ]);
  });

  it('keeps a failure that is about no file', () => {
    expect(describeAll([planOf('native', [failure])])).toEqual([
      'claude gets report.pdf as it is | ',
      'claude | It is encrypted. Remove its password.',
    ]);
  });
});
