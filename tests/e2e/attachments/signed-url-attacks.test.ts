// hosted: long – a signature is refused before any server is asked
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
});
afterAll(() => stack.stop());

const UNKNOWN_ID = 'att_AAAAAAAAAAAAAAAAAAAAAA';
const own = new Set(['date', 'traceresponse', 'content-length']);

async function uploadSigned(api = stack.api): Promise<{ id: string; url: string }> {
  const { session } = await api.createSession();
  const { attachment } = await api.upload(session.id, makePng(10, 10));
  await api.inspected(attachment.id);
  const { body } = await api.call('POST', `/attachments/${attachment.id}/urls`, { body: { disposition: 'inline' } });
  return { id: attachment.id, url: String(body.url) };
}

/** An answer without what is its own by right. */
async function readComparable(url: string) {
  const response = await fetch(url);
  const { requestId: _own, ...body } = (await response.json()) as Record<string, unknown>;
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)));
  return { status: response.status, headers, body };
}

function edit(url: string, change: (query: URLSearchParams) => void): string {
  const edited = new URL(url);
  change(edited.searchParams);
  return edited.href;
}

function flipBit(text: string, at: number): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

const parameter = (url: string, name: string) => String(new URL(url).searchParams.get(name));

describe('a signed URL that was tampered with', () => {
  const attacks: Record<string, (url: string, other: { id: string; url: string }) => string> = {
    'without a signature': (url) => edit(url, (query) => query.delete('sig')),
    'without anything': (url) => url.split('?')[0] as string,
    'with a flipped bit in its MAC': (url) =>
      edit(url, (query) => query.set('sig', flipBit(parameter(url, 'sig'), 39))),
    'with a flipped bit in its tenant': (url) =>
      edit(url, (query) => query.set('sig', flipBit(parameter(url, 'sig'), 0))),
    'with a truncated MAC': (url) => edit(url, (query) => query.set('sig', parameter(url, 'sig').slice(0, 20))),
    'with a longer MAC': (url) => edit(url, (query) => query.set('sig', `${parameter(url, 'sig')}AAAA`)),
    'with padding': (url) => `${url}=`,
    'with a later end': (url) => edit(url, (query) => query.set('exp', String(Number(parameter(url, 'exp')) + 1))),
    'with an end that is no number': (url) => edit(url, (query) => query.set('exp', '1e99')),
    'with another generation': (url) => edit(url, (query) => query.set('g', String(Number(parameter(url, 'g')) + 1))),
    'with an unknown key id': (url) => edit(url, (query) => query.set('kid', 'k999')),
    'with another disposition': (url) => edit(url, (query) => query.set('d', 'attachment')),
    'without its disposition': (url) => edit(url, (query) => query.delete('d')),
    'with a variant': (url) => edit(url, (query) => query.set('v', 'var_AAAAAAAAAAAAAAAAAAAAAA')),
    'with a parameter more': (url) => `${url}&x=1`,
    'with a parameter twice': (url) => `${url}&exp=${parameter(url, 'exp')}`,
    'with its parameters reordered': (url) => {
      const [base, query = ''] = url.split('?');
      return `${base}?${query.split('&').toReversed().join('&')}`;
    },
    'with a re-encoded parameter': (url) => url.replace('&kid=k', '&kid=%6B'),
    'with a re-encoded name': (url) => url.replace('exp=', '%65xp='),
    'for another attachment': (url, other) => url.replace(/att_[A-Za-z0-9_-]{22}/, other.id),
    'for an attachment that does not exist': (url) => url.replace(/att_[A-Za-z0-9_-]{22}/, UNKNOWN_ID),
    'for something that is no id': (url) => url.replace(/att_[A-Za-z0-9_-]{22}/, 'att_x'),
    'with the signature of another': (url, other) =>
      edit(url, (query) => query.set('sig', parameter(other.url, 'sig'))),
  };

  it('is refused, and every one alike [AT-20 S5 S6]', async () => {
    const [mine, another] = [await uploadSigned(), await uploadSigned()];
    expect((await fetch(mine.url)).status).toBe(200);
    const reference = await readComparable(edit(mine.url, (query) => query.set('sig', 'x')));
    expect(reference).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE', retryable: false } });
    for (const [what, attack] of Object.entries(attacks)) {
      const url = attack(mine.url, another);
      expect(url, what).not.toBe(mine.url);
      expect(await readComparable(url), what).toEqual(reference);
    }
  });

  it('or was made for another tenant’s file of the same path is refused alike [S5 S1]', async () => {
    const [mine, theirs] = [await uploadSigned(), await uploadSigned(stack.apiOf('other'))];
    const reference = await readComparable(edit(mine.url, (query) => query.set('sig', 'x')));
    const swapped = mine.url.replace(mine.id, theirs.id);
    expect(await readComparable(swapped)).toEqual(reference);
    expect((await fetch(theirs.url)).status).toBe(200);
  });
});

describe('a signed URL ends', () => {
  it('when its time is over [AT-20 S6]', async () => {
    const { id, url } = await uploadSigned();
    const { body } = await stack.api.call('POST', `/attachments/${id}/urls`, { body: { ttlSeconds: 1 } });
    await vi.waitFor(async () => expect((await fetch(String(body.url))).status).toBe(401), { timeout: 60_000 });
    expect(await readComparable(String(body.url))).toEqual(await readComparable(`${url}x`));
  });

  it('when all URLs of its attachment are ended; a new one works [AT-21 AT-26 S6]', async () => {
    const { id, url } = await uploadSigned();
    const reference = await readComparable(`${url}x`);
    expect((await stack.api.call('DELETE', `/attachments/${id}/urls`)).status).toBe(204);
    expect(await readComparable(url)).toEqual(reference);
    const { body } = await stack.api.call('POST', `/attachments/${id}/urls`, { body: {} });
    expect((await fetch(String(body.url))).status).toBe(200);
  });

  it('when its attachment is deleted, which only a valid signature may know [AT-20 AT-21 S6]', async () => {
    const { id, url } = await uploadSigned();
    expect((await stack.api.call('DELETE', `/attachments/${id}`)).status).toBe(204);
    const gone = await fetch(url);
    expect(gone.status).toBe(404);
    expect(await gone.json()).toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
    expect(await readComparable(edit(url, (query) => query.set('sig', 'x')))).toMatchObject({ status: 401 });
    expect((await stack.api.call('GET', `/attachments/${id}`)).status).toBe(404);
    expect((await stack.api.call('DELETE', `/attachments/${id}`)).status).toBe(404);
  });
});
