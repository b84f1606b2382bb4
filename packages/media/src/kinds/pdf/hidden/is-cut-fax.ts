import { listContent } from '../content/list-content.ts';
import { isContinued, sumPixels } from '../content/sum-pixels.ts';
import type { PdfReader } from '../pdf-library.ts';
import type { PageObject, PageObjects } from './page-objects.ts';
import { withProbe } from './with-probe.ts';
import { writeProbe } from './write-probe.ts';

/** The end of a fax in bits: the sign of a row's end, twice. */
const END = /0{11}1[01]?0{11}1/;
const END_BYTES = 32;
/** Short runs in the codes of a fax. Whoever still waits for rows takes them. */
const MORE = Buffer.from('3314cc53314cc5'.repeat(600), 'hex');

/** Whether a noticeable part of a fax is missing. One without its end is whole if it takes no more rows. */
export function isCutFax(reader: PdfReader, objects: PageObjects, fax: PageObject): boolean {
  const { entries, data = Buffer.alloc(0) } = fax;
  const isBare = objects.list(entries.get('/Filter')).length === 1;
  if (!isBare || END.test(toBits(data.subarray(-END_BYTES)))) return false;
  const probe = writeProbe(objects, { streams: [fax, { entries, data: Buffer.concat([data, MORE]) }] });
  const sums = withProbe(reader, probe, (page) =>
    listContent(reader.library, page).images.map(({ object }) => sumPixels(reader.library, object)),
  );
  const [ended, continued] = sums ?? [];
  return ended !== undefined && continued !== undefined && isContinued(ended, continued);
}

const toBits = (bytes: Buffer): string => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
