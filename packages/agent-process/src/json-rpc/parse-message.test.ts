import { describe, expect, it } from 'vitest';
import { parseMessage } from './parse-message.ts';

const parse = (text: string) => parseMessage(Buffer.from(text));

describe('parseMessage', () => {
  it('tells requests, notifications, results and errors apart', () => {
    expect(parse('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}')).toEqual({
      type: 'request',
      id: 1,
      method: 'm',
      params: { a: 1 },
    });
    expect(parse('{"method":"m"}')).toEqual({ type: 'notification', method: 'm', params: undefined });
    expect(parse('{"id":"dlv","result":null}\r')).toEqual({ type: 'result', id: 'dlv', result: null });
    expect(parse('{"id":null,"error":{"code":-32700,"message":"Parse error"}}')).toEqual({
      type: 'error',
      id: undefined,
      code: -32700,
      message: 'Parse error',
    });
  });

  it.each(['{', 'hello', '[]', '3', 'null', '{"id":1}', '{}'])('calls %s garbage', (line) => {
    expect(parse(line)).toBe('garbage');
  });

  it('skips empty lines', () => {
    expect(parse('  \r')).toBe('blank');
  });

  it('takes out what no database text may hold', () => {
    const message = parse('{"method":"m","params":["a\\u0000b","\\ud800",{"k\\u0000":"\\ud83d\\ude00"}]}');
    expect(message).toMatchObject({ params: ['a\uFFFDb', '\uFFFD', { 'k\uFFFD': '😀' }] });
  });

  it('calls a nesting that is too deep to clean garbage', () => {
    expect(parse(`{"method":"\\u0000","params":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toBe('garbage');
  });
});
