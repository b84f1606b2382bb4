import type { AttachmentKind, SessionPolicy } from '@attache/contracts';
import type { Rejection, RejectionCode } from './draft-types.ts';
import { judgeType } from './judge-type.ts';

export type Candidate = {
  name: string;
  mimeType: string;
  kind: AttachmentKind;
  sizeBytes: number;
  isReadable: boolean;
};

export type CheckRules = {
  supported?: readonly string[] | undefined;
  maxFiles?: number | undefined;
  policy: SessionPolicy | undefined;
  /** The files of the draft, by kind. */
  presentKinds: readonly AttachmentKind[];
  /** Bytes of the draft that the server's quota does not count yet. */
  unstoredBytes: number;
};

type Found = { code: RejectionCode; limit?: number; actual?: number; reason: string };

/** Why each file is certain to be refused; undefined for one that may go. In order: an accepted file counts against the ones after it. */
export function checkFiles(files: readonly Candidate[], rules: CheckRules): (Rejection | undefined)[] {
  const kinds = [...rules.presentKinds];
  let unstoredBytes = rules.unstoredBytes;
  return files.map((file) => {
    const found = checkFile(file, { ...rules, presentKinds: kinds, unstoredBytes });
    if (found) return { name: file.name, ...found };
    kinds.push(file.kind);
    unstoredBytes += file.sizeBytes;
    return undefined;
  });
}

function checkFile(file: Candidate, rules: CheckRules): Found | undefined {
  const { name } = file;
  if (!file.isReadable)
    return { code: 'unreadable', reason: `“${name}” cannot be read. Choose it again; add a folder by its files.` };
  if (file.sizeBytes === 0) return { code: 'empty', reason: `“${name}” is empty. Choose a file that has content.` };
  const fault = judgeType(file, rules);
  if (fault) return { code: 'type', reason: `“${name}” ${fault}` };
  return checkSize(file, rules) ?? checkCount(file, rules) ?? checkQuota(file, rules);
}

function checkSize({ name, sizeBytes }: Candidate, { policy }: CheckRules): Found | undefined {
  if (policy === undefined || sizeBytes <= policy.maxUploadBytes) return undefined;
  const limit = policy.maxUploadBytes;
  const reason = `“${name}” has ${formatBytes(sizeBytes)}; one file may have ${formatBytes(limit)}. Make it smaller or split it.`;
  return { code: 'size', limit, actual: sizeBytes, reason };
}

function checkCount(file: Candidate, { policy, maxFiles, presentKinds }: CheckRules): Found | undefined {
  const actual = presentKinds.length + 1;
  if (maxFiles !== undefined && actual > maxFiles) {
    const reason = `“${file.name}” would be file ${actual}; a message may have ${maxFiles}. Remove one, or send it with the next message.`;
    return { code: 'count', limit: maxFiles, actual, reason };
  }
  const limits = policy?.agents.flatMap(({ accepts, tools }) => {
    // Such an agent reads by a tool whatever a message does not bring.
    if (tools === 'yes') return [];
    return accepts.find(({ kind }) => kind === file.kind)?.maxCount ?? [];
  });
  const limit = Math.min(...(limits ?? []));
  const ofKind = presentKinds.filter((kind) => kind === file.kind).length + 1;
  if (ofKind <= limit) return undefined;
  const reason = `“${file.name}” would be number ${ofKind} of its kind (${file.kind}); the model takes ${limit} in one message. Remove one, or send it with the next message.`;
  return { code: 'count', limit, actual: ofKind, reason };
}

function checkQuota({ name, sizeBytes }: Candidate, { policy, unstoredBytes }: CheckRules): Found | undefined {
  const left = policy?.quotaLeftBytes;
  if (left === undefined || left === null) return undefined;
  const limit = Math.max(0, left - unstoredBytes);
  if (sizeBytes <= limit) return undefined;
  const reason = `“${name}” has ${formatBytes(sizeBytes)}; ${formatBytes(limit)} of storage are left. Delete files that are no longer needed, or ask for more storage.`;
  return { code: 'quota', limit, actual: sizeBytes, reason };
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1).replace(/\.0$/, '')} ${units[unit]}`;
}
