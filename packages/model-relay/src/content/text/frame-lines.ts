// The lines before and behind the text of an attachment, as JSON spells them. The projections write the first of them (`writeTextFile`) and no
// last one. Programs write both around a resource that they are handed, or a first one alone.

type FrameLines = { readonly opens: RegExp; readonly closes: RegExp | undefined };

const frames: readonly FrameLines[] = [
  { opens: /^File \\".*\\" \([^()"\\]+\):$/, closes: undefined },
  { opens: /^\[attachment:[^"\]\\]+\]$/, closes: undefined },
  { opens: /^<context ref=\\"attachment:[^"\\]+\\">$/, closes: /^<\/context>$/ },
];

/** No line of a frame is longer: a name has at most 255 bytes, and twelve spell each of them at most. */
export const MAX_LINE_BYTES = 4_096;

/** Which frame a line opens. */
export function findOpening(line: string): number | undefined {
  const index = frames.findIndex(({ opens }) => opens.test(line));
  return index === -1 ? undefined : index;
}

export const isClosing = (frame: number, line: string): boolean => frames[frame]?.closes?.test(line) === true;
