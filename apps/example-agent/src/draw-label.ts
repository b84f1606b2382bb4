// Rows of a 3 × 5 letter, three bits each: a machine may have no fonts at all.
const glyphs: Readonly<Record<string, readonly number[]>> = {
  '#': [5, 7, 5, 7, 5],
  '0': [7, 5, 5, 5, 7],
  '1': [2, 6, 2, 2, 7],
  '2': [7, 1, 7, 4, 7],
  '3': [7, 1, 7, 1, 7],
  '4': [5, 5, 7, 1, 1],
  '5': [7, 4, 7, 1, 7],
  '6': [7, 4, 7, 5, 7],
  '7': [7, 1, 1, 1, 1],
  '8': [7, 5, 7, 5, 7],
  '9': [7, 5, 7, 1, 7],
  A: [7, 5, 7, 5, 5],
  B: [6, 5, 6, 5, 6],
  C: [7, 4, 4, 4, 7],
  D: [6, 5, 5, 5, 6],
  E: [7, 4, 6, 4, 7],
  F: [7, 4, 6, 4, 4],
};

const ADVANCE = 4;

/** Width of a colour's code, in units. */
export const LABEL_UNITS = '#RRGGBB'.length * ADVANCE - 1;

export type LabelPlace = { left: number; top: number; unit: number; fill: string };

/** A colour's code as SVG squares of `unit` pixels. */
export function drawLabel(code: string, { left, top, unit, fill }: LabelPlace): string {
  const squares = [...code].flatMap((letter, index) =>
    (glyphs[letter] ?? []).flatMap((bits, row) =>
      [0, 1, 2]
        .filter((column) => bits & (4 >> column))
        .map((column) => ({ x: left + (index * ADVANCE + column) * unit, y: top + row * unit })),
    ),
  );
  const path = squares.map(({ x, y }) => `M${x.toFixed(2)} ${y.toFixed(2)}h${unit}v${unit}h-${unit}z`).join('');
  return `<path d="${path}" fill="${fill}"/>`;
}
