import { describe, expect, it } from 'vitest';
import { listen, type Suite } from '../driven.ts';
import { paintNoise, samples } from '../files.ts';
import { converse, openPlace, uploadSample } from '../take-turn.ts';

/** With a profile as the guides write one: the catalog alone says what its model takes. */
export const describePlain: Suite = (runtime, use) => {
  describe(`a profile of ${runtime.key} that names a listed model and states no capability`, () => {
    it('brings a picture and a PDF to the model, in the planned form, and drops nothing [BX-19 BX-23 DL-65]', async () => {
      const { stack, startedAt } = use();
      const { model } = runtime.listed ?? runtime;
      const place = await openPlace(stack.api, `${runtime.key}-plain`, model);
      const asked = listen({ stack, startedAt, place }, model);
      const files = [await paintNoise(), ...samples.filter(({ kind }) => kind === 'PDF')];
      const ids = [];
      for (const file of files) ids.push((await uploadSample(stack.api, place, file)).id);
      const { receipt } = await converse(stack.api, place, 'What is in these?', ids);
      const items = receipt?.items ?? [];
      expect(new Set(items.map(({ attachmentId }) => attachmentId))).toEqual(new Set(ids));
      expect(items.filter(({ verdict, proof }) => verdict !== 'delivered' || proof !== 'wire')).toEqual([]);
      const arrived = asked.flatMap(({ newAttachments }) => newAttachments.map(({ sha256 }) => sha256));
      expect(arrived).toEqual(items.map(({ sha256 }) => sha256));
    });
  });
};
