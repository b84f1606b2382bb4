import { essenceOf } from '@attache/contracts/media-type';
import {
  type CarriedWay,
  type Catalog,
  carriedKinds,
  type ModelRow,
  type TakenKind,
  type TransportRow,
} from './catalog-row.ts';

/** Faults of a catalog, one line each with the row's name; empty if it is sound. No process may start with a faulty one. */
export function checkCatalog(catalog: Catalog): string[] {
  const faults = [
    ...(catalog.version.trim() === '' ? ['The catalog has no version.'] : []),
    ...catalog.transports.flatMap((row) => [...checkRow(nameOfTransport(row), row), ...checkFiles(row)]),
    ...catalog.models.flatMap((row) => checkRow(nameOfModel(row), row)),
  ];
  const names = [...catalog.transports.map(nameOfTransport), ...catalog.models.map(nameOfModel)];
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...faults, ...[...twice].map((name) => `${name}: there are two rows of this name.`)];
}

/** The name of a row, which is unique in its catalog. */
export function nameOfTransport({ transport, program, providers }: TransportRow): string {
  return [transport, program, providers?.join('|')].filter((part) => part !== undefined).join(' ');
}

export function nameOfModel({ provider, modelPattern }: ModelRow): string {
  return `${provider}/${modelPattern}`;
}

type Row = Pick<TransportRow, 'evidence'> & { kinds: Record<string, CarriedWay | TakenKind> };

function checkRow(name: string, row: Row): string[] {
  return [...checkEvidence(row), ...carriedKinds.flatMap((kind) => checkKind(kind, row.kinds[kind]))].map(
    (fault) => `${name}: ${fault}`,
  );
}

/** An ability to read files needs its own evidence, and a program that our tools reach. */
function checkFiles(row: TransportRow): string[] {
  const { readsFiles: evidence, tools } = row;
  if (evidence === undefined) return [];
  const faults = [
    ...checkEvidence({ evidence }),
    ...(tools === 'yes' ? [] : ['it reads files, but has none of our tools.']),
  ];
  return faults.map((fault) => `${nameOfTransport(row)}: reading files: ${fault}`);
}

function checkEvidence({ evidence }: Pick<Row, 'evidence'>): string[] {
  if (evidence === undefined || evidence.note.trim().length < 20) return ['it has no evidence.'];
  if (evidence.source === 'unknown') return ['its evidence has no source.'];
  return /^\d{4}-\d{2}-\d{2}$/.test(evidence.date ?? '') ? [] : ['its evidence has no date.'];
}

const limits = ['maxInlineBytes', 'maxFileBytes', 'maxCount', 'maxEdgePixels', 'maxPixels', 'maxPages'] as const;

function checkKind(kind: string, way: CarriedWay | TakenKind | undefined): string[] {
  if (way === undefined) return [`it says nothing of ${kind}.`];
  const said = 'carried' in way ? way.carried : way.taken;
  const faults = ['yes', 'no', 'unknown'].includes(said) ? [] : [`${kind} is neither yes, no nor unknown.`];
  const bad = limits.filter(
    (limit) => way[limit] !== undefined && !(Number.isSafeInteger(way[limit]) && Number(way[limit]) > 0),
  );
  const types = way.mimeTypes ?? [];
  return [
    ...faults,
    ...bad.map((limit) => `${limit} of ${kind} is no positive whole number.`),
    ...types
      .filter((type) => essenceOf(type) !== type)
      .map((type) => `${JSON.stringify(type)} of ${kind} is no media type.`),
    ...(way.mimeTypes?.length === 0 ? [`${kind} names no media type at all; leave the list out, or say no.`] : []),
    ...checkAlters(kind, way),
    ...(said === 'no' && limits.some((limit) => way[limit] !== undefined) ? [`${kind} is "no" and has limits.`] : []),
  ];
}

/** Only a picture may have its bytes altered and still count as carried. */
function checkAlters(kind: string, way: CarriedWay | TakenKind): string[] {
  if (!('alters' in way) || way.alters === undefined) return [];
  return [
    ...checkEvidence({ evidence: way.alters }).map((fault) => `altering ${kind}: ${fault}`),
    ...(kind === 'image' && way.carried !== 'no' ? [] : [`it alters ${kind}, which it does not carry as an image.`]),
  ];
}
