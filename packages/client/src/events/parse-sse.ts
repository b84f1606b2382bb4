/** One block of a stream of server-sent events: an id to resume from, data, or both. A comment is a block without either. */
export type SseBlock = { id?: string; data?: string };

/** Splits a stream of server-sent events into its blocks, however its bytes are cut. */
export function createSseParser(): (chunk: string) => SseBlock[] {
  let rest = '';
  let block: SseBlock = {};
  const readLine = (line: string): SseBlock | undefined => {
    if (line === '') {
      const whole = block;
      block = {};
      return whole;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id' && !value.includes('\0')) block.id = value;
    if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    return undefined;
  };
  return (chunk) => {
    // A lone CR at the end may be the first half of CRLF.
    const text = rest + chunk;
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    return lines.flatMap((line) => readLine(line) ?? []);
  };
}
