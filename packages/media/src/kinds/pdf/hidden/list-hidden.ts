import { listAppearances } from './list-appearances.ts';
import type { PageObject, PageObjects } from './page-objects.ts';
import { unpackContent } from './unpack-content.ts';

/** Content that a page shows, and the reader does not list among its objects. */
export type HiddenContent = {
  /** The masks of its pictures, as references. */
  masks: ReadonlySet<string>;
  /** Tiles of patterns, glyphs of Type 3 fonts, groups that are masks, and appearances, as forms. */
  forms: readonly PageObject[];
  /** Pictures that are faxes. */
  faxes: readonly PageObject[];
  /** Whether a stream of content, of the page or below, ends early or has an unknown coding. */
  isCut: boolean;
};

/** Streams of a page that are looked through; further ones are not. */
const MOST_STREAMS = 1_000;
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024;

type Walk = {
  objects: PageObjects;
  seen: Set<string>;
  masks: Set<string>;
  forms: PageObject[];
  faxes: PageObject[];
  isCut: boolean;
  leftBytes: number;
};

/** Follows the names that the content of a copied page uses. */
export function listHidden(objects: PageObjects): HiddenContent {
  const { page } = objects;
  const walk: Walk = {
    ...{ objects, seen: new Set<string>(), masks: new Set<string>(), forms: [], faxes: [], isCut: false },
    leftBytes: MOST_UNPACKED_BYTES,
  };
  const resources = page.get('/Resources') ?? 'null';
  for (const value of objects.list(page.get('/Contents'))) {
    const object = objects.read(value);
    if (object) followNames(walk, object, resources);
  }
  for (const value of listAppearances(objects)) visitForm(walk, value, { resources, isHidden: true });
  const { masks, forms, faxes, isCut } = walk;
  return { masks, forms, faxes, isCut };
}

type Visit = { resources: string; isHidden: boolean };

/** `resources`: of where it is drawn, for a form without its own. */
function visitForm(walk: Walk, value: string, { resources, isHidden }: Visit): void {
  if (walk.seen.size === MOST_STREAMS || walk.seen.has(value)) return;
  walk.seen.add(value);
  const object = walk.objects.read(value);
  if (object?.data === undefined) return;
  const own = object.entries.get('/Resources') ?? resources;
  if (isHidden) walk.forms.push(describeForm(object, own));
  followNames(walk, object, own);
}

/** As large as a page of any reader may be, on each side of the origin. */
const BOX = '[-14400 -14400 14400 14400]';

function describeForm({ entries, data }: PageObject, resources: string): PageObject {
  const kept = [...entries].filter(([key]) => key === '/Filter' || key === '/DecodeParms');
  const form = { '/Type': '/XObject', '/Subtype': '/Form', '/BBox': BOX, '/Resources': resources };
  return { entries: new Map([...Object.entries(form), ...kept]), ...(data && { data }) };
}

const NAME = /\/[^\s\0()<>[\]{}/%]+/g;

function followNames(walk: Walk, object: PageObject, resources: string): void {
  if (walk.leftBytes <= 0) return;
  const { bytes, isCut } = unpackContent(walk.objects, object);
  walk.isCut ||= isCut;
  const named = walk.objects.read(resources)?.entries;
  if (bytes === undefined || named === undefined) return;
  walk.leftBytes -= bytes.length;
  const names = new Set<string>();
  for (const [name] of bytes.toString('latin1').matchAll(NAME)) names.add(spell(name));
  for (const [kind, visit] of Object.entries(visits))
    for (const [name, value] of walk.objects.read(named.get(kind))?.entries ?? [])
      if (names.has(spell(name))) visit(walk, value, resources);
}

/** A name without its escapes. */
const spell = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

type VisitNamed = (walk: Walk, value: string, resources: string) => void;

const visits: Readonly<Record<string, VisitNamed>> = {
  '/XObject'(walk, value, resources) {
    const object = walk.objects.read(value);
    if (object?.entries.get('/Subtype') === '/Form') return visitForm(walk, value, { resources, isHidden: false });
    if (object === undefined) return;
    if (walk.objects.list(object.entries.get('/Filter')).at(-1) === '/CCITTFaxDecode') walk.faxes.push(object);
    for (const key of ['/SMask', '/Mask']) {
      const mask = object.entries.get(key) ?? 'null';
      if (walk.objects.read(mask)?.data !== undefined) walk.masks.add(mask);
    }
  },
  '/Pattern': (walk, value, resources) => visitForm(walk, value, { resources, isHidden: true }),
  '/Font'(walk, value, resources) {
    const font = walk.objects.read(value)?.entries;
    if (font?.get('/Subtype') !== '/Type3') return;
    const own = font.get('/Resources') ?? resources;
    for (const glyph of walk.objects.read(font.get('/CharProcs'))?.entries.values() ?? [])
      visitForm(walk, glyph, { resources: own, isHidden: true });
  },
  '/ExtGState'(walk, value, resources) {
    const mask = walk.objects.read(walk.objects.read(value)?.entries.get('/SMask'))?.entries;
    const group = mask?.get('/G');
    if (group !== undefined) visitForm(walk, group, { resources, isHidden: true });
  },
};
