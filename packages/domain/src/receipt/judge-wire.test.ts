import { describe, expect, it } from 'vitest';
import { judgeWire } from './judge-wire.ts';
import type { SentItem, WireBlock, WireRequest, WireTurn } from './wire-facts.ts';

const picture = (sha256: string, given: Partial<SentItem> = {}): SentItem => {
  return { by: 'message', sha256, sizeBytes: 100, width: 400, height: 300, ...given };
};
const text = (sha256: string): SentItem => {
  return { by: 'message', sha256, sizeBytes: 10, spelled: { sha256: `${sha256}, spelled`, sizeBytes: 12 } };
};
const media = (sha256: string, given: Partial<Extract<WireBlock, { kind: 'media' }>> = {}): WireBlock => {
  return {
    kind: 'media',
    place: 'user',
    key: sha256,
    isReadable: true,
    sha256,
    sizeBytes: 100,
    width: 400,
    height: 300,
    ...given,
  };
};
const words = (sha256: string, framed: string[] = []): WireBlock => {
  const spell = (each: string) => ({ sha256: `${each}, spelled`, sizeBytes: 12 });
  return {
    kind: 'text',
    place: 'user',
    key: sha256,
    isReadable: true,
    whole: spell(sha256),
    framed: framed.map(spell),
  };
};
const said: WireBlock = {
  kind: 'text',
  place: 'assistant',
  key: 'said',
  isReadable: true,
  whole: undefined,
  framed: [],
};
const call: WireBlock = { kind: 'other', place: 'assistant', key: 'call' };

const accepted = (...blocks: WireBlock[]): WireRequest => ({ blocks, answer: { status: 200, hasBegun: true } });
const refused = (status: number, ...blocks: WireBlock[]): WireRequest => ({
  blocks,
  answer: { status, hasBegun: false },
});
const unread: WireRequest = { ...accepted(), blocks: undefined };

const judge = (items: SentItem[], requests: WireRequest[], given: Partial<WireTurn> = {}) =>
  judgeWire(items, { requests, earlier: undefined, endedByItself: true, ...given });
const verdictsOf = (...given: Parameters<typeof judge>) => judge(...given).map(({ verdict }) => verdict);

const sent = { sha256: 'a', sizeBytes: 100, altered: false };
const delivered = { verdict: 'delivered', proof: 'wire', wire: sent };

describe('an item that the relay took out', () => {
  const out = { isReplaced: true };
  const refusal = { verdict: 'refused', proof: 'wire', wire: sent };

  it('is refused, and never delivered by the request that went out without it [BX-02 BX-23]', () => {
    expect(judge([picture('a')], [accepted(media('a', out))])).toEqual([refusal]);
    expect(judge([picture('a')], [refused(400, media('a')), accepted(media('a', out))])).toEqual([refusal]);
    expect(judge([picture('a'), picture('b')], [accepted(media('a', out), media('b'))])).toEqual([
      refusal,
      { ...delivered, wire: { ...sent, sha256: 'b' } },
    ]);
  });

  it('is the one that the program had altered, by its place among the files [BX-23]', () => {
    const small = { width: 200, height: 150 };
    const verdicts = judge([picture('a')], [accepted(media('smaller', { ...small, ...out }))]);
    expect(verdicts).toEqual([{ ...refusal, wire: { ...sent, sha256: 'smaller', altered: true } }]);
  });

  it('is delivered where a request of the same turn took it after all', () => {
    expect(judge([picture('a')], [accepted(media('a', out)), accepted(media('a'))])).toEqual([delivered]);
  });
});

describe('an item is delivered', () => {
  it('where an accepted request held its bytes [BX-03 BX-23]', () => {
    expect(judge([picture('a')], [accepted(words('hi'), media('a'))])).toEqual([delivered]);
    expect(
      judge([picture('a', { by: 'tool' })], [accepted(words('hi'), call, media('a', { place: 'tool-result' }))]),
    ).toEqual([delivered]);
  });

  it.each([
    ['as a text of its own', words('a')],
    ['framed in another', words('other', ['b', 'a'])],
  ])('where its text stood there, %s', (_, block) => {
    expect(judge([text('a')], [accepted(block)])).toEqual([{ ...delivered, wire: { ...sent, sizeBytes: 10 } }]);
  });

  it('where a request was accepted after others were not, and however the turn ended', () => {
    const requests = [
      refused(529, media('a')),
      refused(400, media('a')),
      accepted(media('a')),
      accepted(words('shorter')),
    ];
    expect(judge([picture('a')], requests, { endedByItself: false })).toEqual([delivered]);
  });

  it('where the same bytes were sent in an earlier turn, and again', () => {
    const earlier = accepted(media('a'), said);
    expect(verdictsOf([picture('a')], [accepted(media('a'), said, words('hi'), media('a'))], { earlier })).toEqual([
      'delivered',
    ]);
    // The history was written again: what it held is no proof of what is new.
    expect(verdictsOf([picture('a')], [accepted(words('summary'), media('a'), words('hi'))], { earlier })).toEqual([
      'unknown',
    ]);
    expect(verdictsOf([picture('a')], [accepted(words('summary'), media('a'), media('a'))], { earlier })).toEqual([
      'delivered',
    ]);
  });
});

describe('in the first turn of a program that was started again', () => {
  const history = [words('before'), media('a'), said];

  it('what the model has answered is no proof of what is new', () => {
    const earlier = 'unseen';
    expect(verdictsOf([picture('a')], [accepted(...history, words('hi'))], { earlier })).toEqual(['unknown']);
    expect(verdictsOf([picture('a')], [accepted(...history, words('hi'), media('a'))], { earlier })).toEqual([
      'delivered',
    ]);
    expect(verdictsOf([picture('c')], [accepted(...history, words('hi'))], { earlier })).toEqual(['dropped']);
  });

  it('nothing is known where its first request was not read', () => {
    const requests = [unread, accepted(...history, words('hi'), media('c'))];
    expect(verdictsOf([picture('c')], requests, { earlier: 'unseen' })).toEqual(['unknown']);
  });

  it('a picture is found among others of the history, altered too', () => {
    const small = media('b', { sizeBytes: 40, width: 200, height: 150 });
    const [item] = judge([picture('c')], [accepted(...history, small), accepted(...history, small, call, said)], {
      earlier: 'unseen',
    });
    expect(item).toMatchObject({ verdict: 'delivered', wire: { sha256: 'b', altered: true } });
  });
});

describe('an altered picture', () => {
  const small = media('b', { sizeBytes: 40, width: 200, height: 151 });
  const altered = { ...delivered, wire: { sha256: 'b', sizeBytes: 40, altered: true } };

  it('is delivered as what it became, by its order among as many [BX-23]', () => {
    expect(judge([picture('a')], [accepted(small)])).toEqual([altered]);
    const items = [picture('c'), picture('a'), text('t')];
    expect(judge(items, [accepted(media('c'), small, words('t'))])).toMatchObject([
      { verdict: 'delivered' },
      altered,
      { verdict: 'delivered' },
    ]);
  });

  it.each<[string, SentItem[], WireBlock[]]>([
    ['there is one more', [picture('a')], [small, media('c')]],
    ['there is one less', [picture('a'), picture('c')], [small]],
    ['it has another shape', [picture('a')], [media('b', { width: 200, height: 140 })]],
    ['its size is not known', [picture('a')], [media('b', { width: undefined })]],
    ['that of ours is not known', [picture('a', { width: undefined })], [small]],
    ['the relay could not read it', [picture('a')], [{ ...small, isReadable: false } as WireBlock]],
  ])('is unknown where %s', (_, items, blocks) => {
    expect(new Set(verdictsOf(items, [accepted(...blocks)]))).toEqual(new Set(['unknown']));
  });

  it('is told from what a tool showed', () => {
    expect(judge([picture('a')], [accepted(small, call, media('c', { place: 'tool-result' }))])).toEqual([altered]);
  });

  it('leaves those known that went as they are', () => {
    expect(verdictsOf([picture('a'), picture('c')], [accepted(media('c'), small, media('d'))])).toEqual([
      'unknown',
      'delivered',
    ]);
  });
});

describe('an item is refused', () => {
  it('where a request that held it was, and the last accepted one no longer does [BX-23]', () => {
    const requests = [refused(400, media('a'), media('b')), accepted(media('b'))];
    expect(judge([picture('a'), picture('b')], requests)).toEqual([
      { verdict: 'refused', proof: 'wire', wire: sent },
      { ...delivered, wire: { ...sent, sha256: 'b' } },
    ]);
  });

  it.each([
    ['its provider was at its limit', [refused(429, media('a')), accepted(words('hi'))], 'dropped'],
    ['nothing was accepted after it', [refused(400, media('a'))], 'unknown'],
  ] as const)('but not where %s', (_, requests, verdict) => {
    expect(verdictsOf([picture('a')], [...requests])).toEqual([verdict]);
  });
});

describe('an item is dropped', () => {
  it('where the turn went on without it [BX-23]', () => {
    expect(judge([picture('a')], [accepted(words('hi'))])).toEqual([{ verdict: 'dropped', proof: 'wire' }]);
    expect(verdictsOf([picture('a'), picture('b')], [accepted(media('b'))])).toEqual(['dropped', 'delivered']);
  });

  it.each<[string, SentItem, WireRequest[], Partial<WireTurn>]>([
    ['the turn was ended', picture('a'), [accepted()], { endedByItself: false }],
    ['nothing was accepted', picture('a'), [refused(500)], {}],
    ['there was no request', picture('a'), [], {}],
    ['a request was not read whole', picture('a'), [accepted(), unread], {}],
    [
      'the model began no answer',
      picture('a'),
      [{ blocks: [media('a')], answer: { status: 200, hasBegun: false } }],
      {},
    ],
    ['it is text', text('a'), [accepted()], {}],
    ['it waits for a tool', picture('a', { by: 'tool' }), [accepted()], {}],
    ['it was not to be sent', picture('a', { by: 'none' }), [accepted(media('a'))], {}],
    ['the block is the model’s', picture('a', { by: 'tool' }), [accepted(media('a', { place: 'assistant' }))], {}],
  ])('but unknown where %s', (_, item, requests, given) => {
    expect(verdictsOf([item], requests, given)).toEqual(['unknown']);
  });
});
