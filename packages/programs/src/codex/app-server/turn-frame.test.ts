import { expect, it } from 'vitest';
import { turnFrame } from './turn-frame.ts';

const request = {
  deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA',
  parts: [{ type: 'text', text: 'hello' }],
  contents: {
    embedded() {
      throw new Error('no file');
    },
    text: () => '',
  },
  onWriting: async () => {},
  onWritten: async () => {},
} as const;

const paramsOf = (isSandboxed: boolean) => {
  const [piece] = turnFrame('thread', request, isSandboxed).pieces;
  return piece?.type === 'text' ? JSON.parse(piece.text).params : undefined;
};

it('says that a sandbox is around it where one is, and never without [BX-22]', () => {
  expect(paramsOf(true).sandboxPolicy).toEqual({ type: 'externalSandbox', networkAccess: 'restricted' });
  expect(paramsOf(false)).not.toHaveProperty('sandboxPolicy');
});
