import type { Draw } from './draw-escaped-text.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const words =
  'att attach attribute network subscriber identifier handler registration table mouthpiece adapter policy kilometer hours format date rate limit buffer layout battery watt data meta flat splatter'.split(
    ' ',
  );

/** An ordinary tool call: arguments in formats of other people, many of them with words that look somewhat like ids of attachments. */
export function drawOrdinaryCall(draw: Draw): unknown {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)] as T;
  const join = (count: number, by: string, make: () => string) => Array.from({ length: count }, make).join(by);
  const some = (count: number, from: readonly string[] = letters) => join(count, '', () => pick(from));
  const count = () => 3 + Math.floor(draw() * 6);
  const word = () => pick(words);
  const snake = () => `${pick(['att_', 'data_att_', 'wp_att_', 'batt_', 'watt_'])}${join(count(), '_', word)}`;
  const constant = () => snake().toUpperCase();
  const camel = () => `Att_${join(count(), '', () => word().replace(/^./, (first) => first.toUpperCase()))}`;
  const kebab = () => `data-att_${join(count(), '-', word)}`;
  // As the ids of other services.
  const ulid = () => `att_${some(26, [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'])}`;
  const hex = () => `att_${some(pick([24, 32, 40]), [...'0123456789abcdef'])}`;
  const name = () => pick([snake, snake, constant, camel, kebab, hex])();
  const text = pick([
    () =>
      `const ${name()} = require('./${name()}').${name()};\n\tif (!${name()}) throw new Error("${name()} \\u00e9");`,
    () =>
      `# ${word()}\n\n- [${name()}](https://example.org/${name()}?q=${encodeURIComponent(`${name()} ä`)})\n\`\`\`sql\nselect ${snake()} from ${snake()}\n\`\`\``,
    () => JSON.stringify({ [name()]: { [name()]: [name(), draw(), null], base64: some(400) } }, null, 2),
    () => `2026-11-30T08:00:00Z INFO ${constant()}=${some(40)} \u001b[31m${name()}\u001b[0m trace=${some(32)}`,
    () =>
      `https://user:pass@host.example:8443/${kebab()}/${encodeURIComponent(some(30))}?${snake()}=%7B%22a%22%3A1%7D&sig=${some(64)}`,
    () =>
      `From: ${word()}@example.org\nContent-Type: multipart/mixed; boundary="att_${some(8)}.${some(8)}"\n\n${some(300)}==`,
    () =>
      `--- a/${snake()}.c\n+++ b/${snake()}.c\n@@ -1,3 +1,3 @@\n-#define ${constant()} 0x${some(8)}\n+static int ${snake()}(void);`,
    () => `C:\\Users\\${word()}\\att\\${name()}\\u${word()}.txt`,
    () => `data:application/octet-stream;base64,${some(600, [...letters, '+', '/'])}`,
    () => `eyJhbGciOiJIUzI1NiJ9.${some(80, [...letters, '-', '_'])}.${some(43, [...letters, '-', '_'])}`,
    () => (draw() < 0.1 ? `ref ${ulid()}` : `ref ${name()}`),
  ])();
  const wrap = pick([
    (inner: unknown) => ({ command: inner, timeout: 1_000, description: name() }),
    (inner: unknown) => ({ edits: [{ [name()]: inner }, { path: `/srv/${name()}` }] }),
    (inner: unknown) => ({ input: JSON.stringify({ [name()]: inner }) }),
    (inner: unknown) => Array.from({ length: 13 }).reduce((nested: unknown) => ({ [name()]: [nested] }), inner),
    (inner: unknown) =>
      Array.from({ length: pick([2, 5, 13]) }).reduce((nested: unknown) => JSON.stringify([nested]), inner),
  ]);
  return wrap(text);
}
