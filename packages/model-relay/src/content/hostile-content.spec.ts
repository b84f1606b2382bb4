import { describe, expect, it } from 'vitest';
import { readBody } from '../__fixtures__/read-body.ts';
import { makePng, sha256Of } from '../__fixtures__/wire-media.ts';
import type { RelayedContent } from './content-types.ts';
import { digestText } from './digest-text.ts';

const png = makePng(40, 30);
const data = png.toString('base64');
const bodyOf = (parts: string) => `{"model":"m","messages":[{"role":"user","content":[${parts}]}]}`;
const imageOf = (spelled: string) =>
  `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${spelled}"}}`;
const textOf = (spelled: string) => `{"type":"text","text":"${spelled}"}`;

function readBlocks(parts: string): RelayedContent['blocks'] {
  const content = readBody(bodyOf(parts));
  if (content === undefined || content === 'refused') throw new Error(`not whole: ${content}`);
  return content.blocks;
}

describe('base64', () => {
  it.each([
    ['with line feeds', data.replaceAll(/.{20}/g, '$&\\n')],
    ['with carriage returns and spaces', `  ${data.replaceAll(/.{7}/g, '$&\\r\\n\\t ')}`],
    ['with escapes', data.replaceAll('A', '\\u0041').replaceAll('/', '\\/')],
    ['with nothing but escapes', data.replaceAll(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)],
  ])('%s has the digest of its bytes', (_, spelled) => {
    const read = { isReadable: true, sha256: sha256Of(png), sizeBytes: png.length, width: 40, height: 30 };
    expect(readBlocks(imageOf(spelled))).toMatchObject([read]);
  });

  it.each([
    ['in the alphabet of URLs', Buffer.from('\xfb\xff\xfe', 'latin1').toString('base64url')],
    ['without its padding', data.replaceAll('=', '')],
    ['with too much of it', `${data}=`],
    ['with padding amid it', `QQ==${data}`],
    ['with bits behind the last byte', 'QR=='],
    ['with other letters', `${data.slice(0, 40)}*${data.slice(40)}`],
    ['with letters beyond ASCII', `${data}é`],
    ['of one letter', 'Q'],
    ['of padding alone', '='],
  ])('%s proves nothing, nor does what follows it', (_, spelled) => {
    expect(readBlocks(imageOf(spelled))).toMatchObject([{ kind: 'media', isReadable: false }]);
  });
});

describe('what a provider could read in another way', () => {
  it.each([
    ['a key twice', '{"type":"text","text":"a","text":"b"}'],
    ['a key twice, one of them escaped', '{"type":"text","text":"a","t\\u0065xt":"b"}'],
    ['a key in other letters', '{"type":"text","text":"a","Text":"b"}'],
    ['a source twice', '{"type":"image","source":{},"source":{}}'],
    ['data twice', '{"type":"image","source":{"type":"base64","data":"QQ==","data":"Qg=="}}'],
    ['messages in other letters', `${textOf('a')}]}],"Messages":[{"role":"user","content":[`],
    ['a list in the place of a message', `${textOf('a')}]},[],{"role":"user","content":[`],
    ['20,000 blocks', Array.from({ length: 20_000 }, () => textOf('a')).join()],
  ])('is not whole: %s', (_, parts) => {
    expect(readBody(bodyOf(parts))).toBeUndefined();
  });

  it.each([
    ['two files', `{"type":"image","source":{"type":"base64","data":"QQ=="},"text":"a"}`],
    ['another type', '{"type":"text","source":{"type":"base64","data":"QQ=="}}'],
    ['no type', '{"source":{"type":"base64","data":"QQ=="}}'],
    ['base64 called text', '{"type":"image","source":{"type":"text","data":"QQ=="}}'],
    ['a source without a type', '{"type":"image","source":{"data":"QQ=="}}'],
    ['a text that is none', '{"type":"text","text":"a","source":"QQ=="}'],
    ['parts that belong to no result', `{"type":"search_result","content":[${imageOf(data)}]}`],
    ['a file that is elsewhere', '{"type":"image","source":{"type":"file","file_id":"f"}}'],
  ])('is no proof: %s', (_, part) => {
    expect(readBlocks(part).filter((block) => block.kind !== 'other' && block.isReadable)).toEqual([]);
  });
});

describe('a body is refused', () => {
  it.each([
    ['10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['without a comma', `${textOf('a')}${textOf('b')}`],
    ['with a comma too many', `${textOf('a')},`],
    ['without a colon', '{"type" "text"}'],
    ['with a key that is none', '{type:"text"}'],
    ['with numbers that are none', '{"a":01}'],
    ['with words that are none', '{"a":nul}'],
    ['with brackets crossed', '{"a":[}]'],
    ['with an escape that is none', textOf('\\x41')],
    ['with an escape that is too short', textOf('\\u00g0')],
    ['with a comment', '/**/'],
  ])('%s', (_, parts) => {
    expect(readBody(bodyOf(parts))).toBe('refused');
  });

  it('where it ends anywhere before its end', () => {
    const body = bodyOf(`${imageOf(data)},${textOf('a\\n\\u00e9')},{"a":[1,{"b":null}]}`);
    for (let length = 0; length < body.length; length += 1) expect(readBody(body.slice(0, length))).toBe('refused');
  });
});

describe('a text', () => {
  it.each(['', '\ud800', 'x\udc00\ud83dy', '\ufffd', '"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é😀', 'a'.repeat(70_000)])(
    'has one digest however it is spelled: %#',
    (text) => {
      const plain = JSON.stringify(text).slice(1, -1);
      const escaped = [...Array(text.length).keys()].map(
        (at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
      );
      for (const spelled of [plain, escaped.join(''), plain.replaceAll('/', '\\/')])
        expect(readBlocks(textOf(spelled))).toMatchObject([{ kind: 'text', whole: digestText(text) }]);
    },
  );

  const head = 'File \\"a\\" (text/plain):\\n';
  const tag = '<context ref=\\"attachment:att_1/a\\">\\n';
  it.each<[string, string, string[]]>([
    ['without a frame', 'File \\"a\\" here', []],
    ['alone', `${head}inner\\nlines`, ['inner\nlines']],
    ['behind other words', `look:\\n\\n${head}inner`, ['inner']],
    ['not at the start of a line', `look: ${head}inner`, []],
    ['with a last line, and words behind it', `${tag}inner\\n\\n</context>\\nmore`, ['inner\n']],
    ['that holds what looks like a frame', `${tag}inner\\n${head}rest\\n</context>`, ['inner', 'rest\n</context>']],
    ['as one program marks a resource', '[attachment:att_1/a]\\ninner\\n', ['inner\n']],
    ['with nothing in it', `${tag}\\n</context>`, ['']],
    ['beside another one', `${tag}one\\n</context>\\n${tag}two\\n</context>`, ['one', 'two']],
    ['with an opening that is too long', `File \\"${'a'.repeat(5_000)}\\" (text/plain):\\ninner`, []],
    [
      'that holds lines which are too long',
      `${tag}<${'a'.repeat(9_000)}\\n<b\\n</context>`,
      [`<${'a'.repeat(9_000)}\n<b`],
    ],
  ])('that is framed has the digest of what lies between: %s', (_, spelled, framed) => {
    const [block] = readBlocks(textOf(spelled));
    expect(block?.kind === 'text' && block.framed).toEqual(framed.map(digestText));
  });
});

describe('a request is an errand', () => {
  const errandTexts = ['[SUGGESTION "MODE":'];
  const ask = (last: string, more = '') =>
    readBody(`{"model":"m","messages":[{"role":"user","content":"[SUGGESTION \\"MODE\\": x"},${last}]${more}}`, {
      errandTexts,
    });
  it('where its last message says so, or it asks for a form of the answer', () => {
    expect(ask('{"role":"user","content":"go on"}')).toMatchObject({ hasErrandText: false, hasAnswerForm: false });
    expect(ask(`{"role":"user","content":[${textOf('a')},${textOf('[SUGGESTION \\"MODE\\":')}]}`)).toMatchObject({
      hasErrandText: true,
    });
    const form = ',"output_config":{"format":{"type":"json_schema","schema":{}}}';
    expect(ask('{"role":"user","content":"go on"}', form)).toMatchObject({ hasAnswerForm: true });
    expect(ask('{"role":"user","content":"go on"}', ',"output_config":{"effort":"low"}')).toMatchObject({
      hasAnswerForm: false,
    });
  });
});
