import type { PdfDictionary } from '../pdf-dictionary.ts';
import type { PageObjects } from './page-objects.ts';

const HIDDEN = 0x02;
const NO_VIEW = 0x20;

/** The streams that show the annotations and fields of a copied page, as references. */
export function listAppearances(objects: PageObjects): string[] {
  return objects.list(objects.page.get('/Annots')).flatMap((value) => {
    const annotation = objects.read(value)?.entries;
    return annotation && isShown(annotation) ? findAppearance(objects, annotation) : [];
  });
}

const isShown = (annotation: PdfDictionary): boolean =>
  (Number(annotation.get('/F') ?? 0) & (HIDDEN | NO_VIEW)) === 0 && annotation.get('/Subtype') !== '/Popup';

/** The only appearance, or that of the present state. */
function findAppearance(objects: PageObjects, annotation: PdfDictionary): string[] {
  const normal = objects.read(annotation.get('/AP'))?.entries.get('/N') ?? 'null';
  const found = objects.read(normal);
  if (found?.data !== undefined) return [normal];
  const state = found?.entries.get(objects.resolve(annotation.get('/AS')));
  return state === undefined ? [] : [state];
}
