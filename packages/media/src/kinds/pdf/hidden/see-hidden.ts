import { hasBrokenPicture } from '../content/find-lost-pictures.ts';
import { type Sight, seeWhole } from '../content/see-page.ts';
import type { PdfLibrary } from '../pdf-functions.ts';
import type { PdfReader } from '../pdf-library.ts';
import { copyPage } from './copy-page.ts';
import { isCutFax } from './is-cut-fax.ts';
import { listHidden } from './list-hidden.ts';
import { readPageObjects } from './page-objects.ts';
import { withProbe } from './with-probe.ts';
import { writeProbe } from './write-probe.ts';

type Place = PdfReader & { document: number; index: number };

/**
 * Looks at what a page shows, and the reader does not list: masks, patterns, glyphs of Type 3 fonts and appearances. `isToBeDrawn`: pictures are decoded, and
 * content that ends early counts.
 */
export function seeHidden(place: Place, isToBeDrawn: boolean): Sight[] {
  const copied = copyPage(place.library, place.document, place.index);
  const objects = copied && readPageObjects(copied);
  if (objects === undefined) return [];
  const { masks, forms, faxes, isCut } = listHidden(objects);
  const isEmpty = masks.size + forms.length === 0;
  const probe = isEmpty ? undefined : writeProbe(objects, { references: masks, streams: forms });
  const seen = probe && withProbe(place, probe, (page) => seeProbe(place.library, page, isToBeDrawn));
  const sights = seen ? [seen] : [];
  if (!isToBeDrawn || seen?.lacks !== undefined) return sights;
  const hasCutFax = faxes.some((fax) => isCutFax(place, objects, fax));
  return [...sights, { undrawn: [], lacks: hasCutFax ? 'pictures' : isCut ? 'unknown' : undefined }];
}

function seeProbe(library: PdfLibrary, page: number, isToBeDrawn: boolean): Sight {
  const { content, undrawn, lacks } = seeWhole(library, page);
  const hasLost = lacks === undefined && isToBeDrawn && hasBrokenPicture(library, page, content.images);
  return { undrawn, lacks: hasLost ? 'pictures' : lacks };
}
