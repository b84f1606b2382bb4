import type { AttachmentFacts, Capability, PageGap } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { type Given, givenPdf, givenRequest, givenTarget } from './__fixtures__/plan-fixtures.ts';
import { planDelivery } from './plan-delivery.ts';

const capabilityOf = (model: string): Capability => givenRequest({ target: givenTarget(model) }).capability;
const omni = capabilityOf('example-omni');
const vision: Capability = { ...capabilityOf('example-vision'), tools: 'no' };
const textual: Capability = { ...capabilityOf('example-text'), tools: 'no' };
const withFileTools: Capability = { ...vision, tools: 'yes' };

function planOne(
  capability: Capability,
  lacks: readonly (PageGap['lacks'] | undefined)[],
  facts: AttachmentFacts = {},
) {
  const pageGaps = lacks.flatMap((each, index): PageGap[] => (each ? [{ page: index + 1, lacks: each }] : []));
  const pdf = givenPdf(1, { facts: { pages: lacks.length, textBytes: 900, pageGaps, ...facts } });
  const given: Given = { capability, attachments: [pdf] };
  const { items, failures } = planDelivery(givenRequest(given));
  const [item] = items;
  const warned = item?.warnings.filter(({ code }) => code === 'page_incomplete').map(({ pages }) => pages);
  return { becomes: item?.becomes, warned, codes: failures.map(({ code }) => code) };
}

describe('a PDF of which a page cannot be drawn whole', () => {
  it.each<[PageGap['lacks']]>([['words'], ['unmapped'], ['pictures'], ['page']])(
    'goes as it is where the target takes that, with nothing to say: %s [BX-29]',
    (lacks) => {
      expect(planOne(omni, [undefined, lacks])).toEqual({ becomes: 'native', warned: [], codes: [] });
    },
  );

  it('goes as its text where that has the words [BX-29 DL-50]', () => {
    expect(planOne(vision, [undefined, 'words'])).toEqual({ becomes: 'text', warned: [[2]], codes: [] });
  });

  it('is left to the tools of its agent where its text does not have them either [BX-29]', () => {
    expect(planOne(withFileTools, [undefined, 'unmapped'])).toEqual({ becomes: 'tool', warned: [[2]], codes: [] });
  });

  it('goes as pages where no other form has more, and says which are incomplete [BX-29]', () => {
    expect(planOne(vision, [undefined, 'unmapped'])).toEqual({ becomes: 'pages', warned: [[2]], codes: [] });
    expect(planOne(vision, ['pictures', 'pictures'])).toEqual({ becomes: 'pages', warned: [[1, 2]], codes: [] });
    expect(planOne(textual, ['pictures'])).toMatchObject({ becomes: 'text', codes: [] });
  });

  it('goes as its other pages where one is broken, or has a note that is not shown [BX-29]', () => {
    expect(planOne(vision, [undefined, 'page', undefined])).toEqual({ becomes: 'pages', warned: [[2]], codes: [] });
    expect(planOne(vision, ['annotations'])).toEqual({ becomes: 'pages', warned: [[1]], codes: [] });
    // Its text has no broken page either.
    expect(planOne(textual, [undefined, 'page'])).toEqual({ becomes: 'text', warned: [[2]], codes: [] });
    expect(planOne(textual, [undefined, 'annotations'])).toEqual({ becomes: 'text', warned: [], codes: [] });
  });

  it('is refused where none of its pages could be read [BX-29 DL-63]', () => {
    const codes = ['attachment_page_unreadable'];
    expect(planOne(vision, ['unmapped', 'page'])).toMatchObject({ becomes: 'blocked', codes });
    expect(planOne(vision, ['page'], { textBytes: 0 })).toMatchObject({ becomes: 'blocked', codes });
  });
});
