import { describe, expect, it } from 'vitest';
import { failureCodes } from '../delivery/failure.ts';
import { errorCodes } from './error-codes.ts';
import { errorExplanations } from './error-explanations.ts';
import { codePages, pathOfCode } from './explain-code.ts';
import { raisers } from './failure-explanation.ts';
import { failureExplanations } from './failure-explanations.ts';

const texts = codePages.flatMap(({ explained }) => explained.flatMap(({ lines }) => lines.map(({ text }) => text)));

describe('explanations of codes', () => {
  it('are there for every code of the closed lists, and for no other [DL-37 DL-12]', () => {
    expect(Object.keys(failureExplanations).toSorted()).toEqual([...failureCodes].toSorted());
    expect(Object.keys(errorExplanations).toSorted()).toEqual([...errorCodes].toSorted());
    const explained = codePages.flatMap((page) => page.explained.map(({ code }) => code));
    expect(explained.toSorted()).toEqual([...errorCodes, ...failureCodes].toSorted());
  });

  it.each(failureCodes)(
    'say of %s when it is raised, by whom, what to do and whether to retry [DL-38 DL-42]',
    (code) => {
      const { raisedBy, when, whatToDo, retryable } = failureExplanations[code];
      for (const text of [when, whatToDo, ...(typeof retryable === 'string' ? [] : [retryable.dependsOn])])
        expect(text).toMatch(/^[a-zA-Z].{15,}\.$/);
      expect([...raisedBy]).toEqual(Object.keys(raisers).filter((raiser) => raisedBy.some((each) => each === raiser)));
      expect(when.startsWith('This release never raises it')).toBe(raisedBy.length === 0);
    },
  );

  it('name no file, path, address or program of ours, and hold no markup [DL-41]', () => {
    expect(texts.filter((text) => /\.[jt]s\b|\w\/\w+\/|https?:|packages|services\/|src\b|[<>`|]/.test(text))).toEqual(
      [],
    );
  });

  it('have one page for each name, where a failure and an error may meet', () => {
    const shared = codePages.filter(({ explained }) => explained.length > 1);
    expect(shared.map(({ explained }) => explained.map(({ code }) => code))).toEqual([
      ['ATTACHMENT_PENDING', 'attachment_pending'],
    ]);
    expect(pathOfCode('DELIVERY_BLOCKED')).toBe('/docs/errors/delivery_blocked');
  });
});
