import { essenceOf } from '@attache/contracts/media-type';
import type { UrlFrame } from './percent-encoding.ts';

/** The statements of a data URL before its payload. */
export type DataUrlHead = { mimeType: string | undefined; isBase64: boolean; end: number; frame: UrlFrame };

const MAX_HEAD = 1024;

const slash = String.raw`(?:\/|\\{1,64}\/|\\{1,64}u002f|%2f)`;
const token = String.raw`[^\s,;:=\/"'<>()\[\]{}\\]`;
const quote = String.raw`\\{0,64}"`;
const parameter = String.raw`\s{0,8};\s{0,8}${token}{1,128}(?:[ \t]*=[ \t]*(?:${quote}(?:[^"\\\r\n]|\\{1,64}[^"\\\r\n]){0,256}${quote}|(?:${token}|\/){0,256}))?`;
const headPattern = new RegExp(
  `data:[ \\t]{0,8}((?:${token}{1,127}(?:${slash}${token}{1,127})?)?)((?:${parameter}){0,16})[ \\t]{0,8}(?:,|%2c|\\\\{1,64}u002c)`,
  'iy',
);
// A text that may still become such a head.
const openPattern = /data:(?:[^,"\r\n<>]|;[\r\n]{1,2}|"[^"\r\n]{0,256}(?:"|$)){0,1020}$/iy;

/** The head of the data URL at `at`; `more` where it may not be all there. */
export function readDataUrlHead(text: string, at: number, isWhole: boolean): DataUrlHead | 'more' | undefined {
  headPattern.lastIndex = at;
  const found = headPattern.exec(text);
  if (found === null) {
    openPattern.lastIndex = at;
    const mayGoOn =
      !isWhole && text.length - at < MAX_HEAD && openPattern.test(text) && !/:\s+\S+\s/.test(text.slice(at));
    return mayGoOn ? 'more' : undefined;
  }
  const [all, type = '', parameters = ''] = found;
  const plain = type.replaceAll(/\\+u002f|\\+\/|%2f/gi, '/');
  return {
    mimeType: essenceOf(plain),
    isBase64: /;\s*base64\s*$/i.test(parameters),
    end: at + all.length,
    frame: frameOf(text, at),
  };
}

function frameOf(text: string, at: number): UrlFrame {
  const before = text.charAt(at - 1);
  if (before === '(') return { close: ')', depth: 0 };
  if (before !== '"' && before !== "'") return { close: '', depth: 0 };
  let depth = 0;
  while (text.charAt(at - 2 - depth) === '\\' && depth < 64) depth += 1;
  return { close: before, depth };
}
