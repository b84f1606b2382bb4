import { expect, it } from 'vitest';
import { isEmptyBackspace, isSendKey } from './keys.ts';

const press = (key: string, more: object = {}) => ({
  ...{ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, repeat: false },
  ...{ nativeEvent: { isComposing: false }, ...more },
});

it.each([
  [press('Enter'), true],
  [press('Enter', { shiftKey: true }), false],
  [press('Enter', { nativeEvent: { isComposing: true } }), false],
  [press('Enter', { nativeEvent: { isComposing: false, keyCode: 229 } }), false],
  [press('a'), false],
])('key %# sends: %s', (event, does) => {
  expect(isSendKey(event)).toBe(does);
});

it.each([
  [press('Backspace'), '', true],
  [press('Backspace'), 'a', false],
  [press('Backspace', { repeat: true }), '', false],
  [press('Backspace', { ctrlKey: true }), '', false],
  [press('Delete'), '', false],
])('key %# with the text %j removes a file: %s', (event, text, does) => {
  expect(isEmptyBackspace(event, text)).toBe(does);
});
