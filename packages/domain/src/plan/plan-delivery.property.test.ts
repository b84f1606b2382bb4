import { deliveryPlanSchema, failureCodes } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRequest } from '../__fixtures__/any-request.ts';
import { type PlanRequestInput, planDelivery } from './plan-delivery.ts';
import { base64Bytes } from './room/transport-size.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

/** The same with every gate of the target open and all attachments inspected. */
const friendly = anyRequest.map((input): PlanRequestInput => {
  const { capability, attachments: all } = input;
  const mimeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/heic'];
  const open = { transport: 'yes' as const, model: 'yes' as const, mimeTypes };
  const taken = all.filter(({ kind }) => kind === 'image' || kind === 'text').slice(0, 3);
  return {
    ...input,
    conversions: 'allow',
    attachments: taken.map((attachment) => ({ ...attachment, status: 'ready' })),
    capability: { ...capability, image: { ...capability.image, ...open }, text: { ...capability.text, ...open } },
  };
});

const runs = { numRuns: isShort ? 40 : 250 };

describe('any plan', () => {
  it('has the shape of the contract, one item for each attachment, in their order [DL-01 DL-72]', () => {
    fc.assert(
      fc.property(anyRequest, (input) => {
        const plan = deliveryPlanSchema.parse(planDelivery(input));
        expect(plan.items.map((item) => item.attachmentId)).toEqual(input.attachments.map(({ id }) => id));
        expect(planDelivery(structuredClone(input))).toEqual(plan);
      }),
      runs,
    );
  });

  it('says of every attachment why it becomes what it becomes [DL-12 BX-19]', () => {
    fc.assert(
      fc.property(anyRequest, (input) => {
        for (const item of planDelivery(input).items) expect(item.reason?.length).toBeGreaterThan(10);
      }),
      runs,
    );
  });

  it('is blocked exactly where an item is, with a coded failure for each gate that blocks, in the order of the gates [DL-20 DL-38 DL-63]', () => {
    fc.assert(
      fc.property(anyRequest, (input) => {
        const { decision, items, failures } = planDelivery(input);
        const blocked = items.filter(({ becomes }) => becomes === 'blocked');
        expect(decision).toBe(blocked.length > 0 ? 'blocked' : 'deliver');
        for (const { attachmentId, checks } of blocked) {
          const told = failures.filter((failure) => failure.attachmentId === attachmentId);
          const gates = told.map(({ safeDetails }) => String(safeDetails?.gate));
          expect(gates).toEqual(Object.keys(checks).filter((gate) => gates.includes(gate)));
          expect(gates.length).toBeGreaterThan(0);
          // No transport and no model takes such a type: one sentence says both.
          if (told.some(({ code }) => code === 'attachment_type_unsupported')) continue;
          const closed = Object.entries(checks).filter(([, check]) => check === 'no');
          expect(gates).toEqual(expect.arrayContaining(closed.map(([gate]) => gate)));
        }
        const order = failures.map((failure) => failure.attachmentId);
        expect([...new Set(order)]).toEqual(blocked.map((item) => item.attachmentId));
        expect(failures.every(({ code }) => failureCodes.includes(code))).toBe(true);
        expect(blocked.every(({ checks }) => Object.values(checks).some((check) => check !== 'yes'))).toBe(true);
      }),
      runs,
    );
  });

  it('fits all its budgets when it is delivered [BX-01 DL-72]', () => {
    let delivered = 0;
    const property = fc.property(friendly, (input) => {
      const { decision, budget } = planDelivery(input);
      // Without attachments nothing is gated (DL-83).
      if (decision === 'blocked' || input.attachments.length === 0) return;
      delivered += 1;
      for (const { used, limit, resident } of Object.values(budget)) {
        // A history that is over a limit stops only what would add to it.
        expect(used === 0 ? 0 : used + resident).toBeLessThanOrEqual(limit);
      }
    });
    // Not an empty promise: about one in seven is delivered.
    do fc.assert(property, runs);
    while (delivered < runs.numRuns / 20);
  });

  it('fits what it does deliver, even where something else blocks the message [DL-72]', () => {
    let delivered = 0;
    const property = fc.property(anyRequest, (input) => {
      const { items, budget } = planDelivery(input);
      if (items.every(({ becomes }) => becomes === 'blocked' || becomes === 'tool')) return;
      delivered += 1;
      for (const entry of [budget.lineBytes, budget.bytes]) {
        if (entry !== undefined) expect(entry.used + entry.resident).toBeLessThanOrEqual(entry.limit);
      }
    });
    do fc.assert(property, runs);
    while (delivered < runs.numRuns / 20);
  });

  it('delivers only what every gate lets through, within the limits of the kind [DL-50 DL-66]', () => {
    fc.assert(
      fc.property(anyRequest, (input) => {
        for (const { becomes, checks, recipe, attachmentId: id } of planDelivery(input).items) {
          if (becomes === 'blocked') continue;
          if (becomes === 'tool') {
            expect(input.capability.tools).toBe('yes');
            expect(checks).toMatchObject({ decode: 'yes', budget: 'yes', transport: 'yes', prepare: 'yes' });
            // A kind that tools cannot show to the model must be readable by the program's own tools.
            if (checks.model !== 'yes') expect(input.capability.files?.read).toBe('yes');
            continue;
          }
          expect({ ...checks, model: 'yes' }).toEqual({
            decode: 'yes',
            budget: 'yes',
            transport: 'yes',
            model: 'yes',
            prepare: 'yes',
          });
          expect(checks.model === 'yes' || (checks.model === 'unknown' && input.isUnknownOverridden)).toBe(true);
          expect(recipe === undefined || input.conversions === 'allow').toBe(true);
          const { image } = input.capability;
          const facts = input.attachments.find((attachment) => attachment.id === id)?.facts;
          if (becomes === 'pages') {
            expect(recipe).toMatchObject({ purpose: 'page-images', pages: facts?.pages });
            expect(facts?.pages).toBeLessThanOrEqual(image.maxCount ?? Number.POSITIVE_INFINITY);
          }
          if (recipe?.purpose === 'document-text') expect(recipe.maxBytes).toBe(facts?.textBytes);
          if (recipe?.purpose !== 'inline-image') continue;
          expect(image.mimeTypes).toContain(recipe.mimeType);
          expect(recipe.maxBytes).toBeLessThanOrEqual(image.maxInlineBytes ?? Number.POSITIVE_INFINITY);
          expect(recipe.maxEdgePixels).toBeLessThanOrEqual(image.maxEdgePixels ?? Number.POSITIVE_INFINITY);
          expect(recipe.maxEdgePixels).toBeLessThanOrEqual(Math.max(facts?.width ?? 20_000, facts?.height ?? 20_000));
          if (image.carriage === 'file') continue;
          expect(base64Bytes(recipe.maxBytes)).toBeLessThanOrEqual(input.capability.maxLineBytes ?? 0);
        }
      }),
      runs,
    );
  });
});
