import { expect, it } from 'vitest';
import { detectMarkup } from './detect-markup.ts';

it.each([
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  '<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">\n<svg/>',
  '<!DOCTYPE svg [ <!ENTITY xxe SYSTEM "file:///etc/passwd"> ]><svg>&xxe;</svg>',
  '  <svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
])('knows SVG with and without a prolog [S11]: %s', (text) => {
  expect(detectMarkup(text)).toEqual({ type: 'svg' });
});

it.each([
  '<!DOCTYPE html><p>',
  '<!doctype HTML>',
  '\n<!-- x --><HTML lang=en>',
  '<script>alert(1)</script>',
  '<body onload=x>',
])('knows HTML [S10]: %s', (text) => expect(detectMarkup(text)).toEqual({ type: 'html' }));

it.each([
  ['<h1 align="center">Readme</h1>', 'weak-html'],
  ['<img src=x onerror=alert(1)>', 'weak-html'],
  ['<?xml version="1.0"?><rss/>', 'xml'],
])('tells weaker signs apart: %s is %s', (text, type) => {
  expect(detectMarkup(text)).toEqual({ type });
});

it.each(['', 'a < b', '<3', 'see <html>', '<notes>', '<!-- never closed <html>', '<!DOCTYPE svg [ never closed <svg>'])(
  'takes other text for text: %s',
  (text) => expect(detectMarkup(text)).toBeUndefined(),
);
