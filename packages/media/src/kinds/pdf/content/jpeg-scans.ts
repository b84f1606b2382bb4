const PROGRESSIVE = 0xc2;
const SCAN = 0xda;
const FIRST_SEGMENT = 2;
const COEFFICIENTS = 64;
/** None has as many segments. */
const MOST_SEGMENTS = 10_000;

/** Whether a JPEG that is sent scan by scan has a scan for the last bits of each of its coefficients. Any other has all in one. */
export function hasAllScans(jpeg: Buffer): boolean {
  let components = 0;
  const finished = new Set<string>();
  for (const { marker, body } of listSegments(jpeg)) {
    if (marker === PROGRESSIVE) components = body[5] ?? 0;
    if (marker === SCAN) for (const coefficient of listFinished(body)) finished.add(coefficient);
  }
  return finished.size >= components * COEFFICIENTS;
}

/** The coefficients of which a scan has the last bits, each with its component. */
function listFinished(scan: Buffer): string[] {
  const count = scan[0] ?? 0;
  const [first, last, bits] = scan.subarray(1 + 2 * count);
  if (first === undefined || last === undefined || bits === undefined || (bits & 0x0f) !== 0) return [];
  const components = Array.from({ length: count }, (_, index) => scan[1 + 2 * index]);
  return components.flatMap((component) =>
    Array.from({ length: Math.min(last, COEFFICIENTS - 1) - first + 1 }, (_, index) => `${component} ${first + index}`),
  );
}

/** Segments with a length, in order; pixels between them are passed over. */
function* listSegments(jpeg: Buffer): Generator<{ marker: number; body: Buffer }> {
  let at = FIRST_SEGMENT;
  for (let count = 0; count < MOST_SEGMENTS; count += 1) {
    at = findMarker(jpeg, at);
    if (at < 0 || at + 4 > jpeg.length) return;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    yield { marker: jpeg[at + 1] ?? 0, body: jpeg.subarray(at + 4, end) };
    at = end;
  }
}

function findMarker(jpeg: Buffer, from: number): number {
  let at = jpeg.indexOf(0xff, from);
  while (at >= 0 && !hasLength(jpeg[at + 1] ?? 0)) at = jpeg.indexOf(0xff, at + 1);
  return at;
}

/** Whether the sign behind 0xff begins a segment: it is not a byte of pixels, a restart or a filling. */
const hasLength = (sign: number): boolean => sign >= 0xc0 && sign < 0xff && (sign < 0xd0 || sign > 0xd9);
