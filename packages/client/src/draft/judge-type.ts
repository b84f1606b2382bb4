import type { AttachmentKind, SessionPolicy } from '@attache/contracts';
import { guessMimeType, isClosedType } from './guess-kind.ts';

type PolicyAgent = SessionPolicy['agents'][number];
type TypedFile = { name: string; mimeType: string; kind: AttachmentKind };
type TypeRules = { supported?: readonly string[] | undefined; policy: SessionPolicy | undefined };

const IMAGES = ['image/*'];

/** Why a file is not accepted for its type, as the rest of a sentence that begins with its name; undefined where it may go. */
export function judgeType(file: TypedFile, { supported, policy }: TypeRules): string | undefined {
  const patterns = supported ?? (policy ? undefined : IMAGES);
  if (patterns !== undefined) {
    const type = file.mimeType || 'of an unknown type';
    const isAccepted = patterns.some((pattern) => matchesPattern(file, pattern));
    return isAccepted
      ? undefined
      : `is ${type}; accepted are ${patterns.join(', ')}. Choose another file, or convert it.`;
  }
  const refusing = policy?.agents.find((agent) => !takesKind(agent, file, policy.conversions === 'allow'));
  if (!refusing) return undefined;
  const what = file.mimeType || file.kind;
  return `is ${what}, which the model of ${refusing.name} does not take. Choose another agent, or convert the file.`;
}

/** As the `accept` of a file input: `image/png`, `image/*`, `.png`. */
function matchesPattern({ name, mimeType }: TypedFile, pattern: string): boolean {
  const wanted = pattern.trim().toLowerCase();
  if (wanted === '*/*' || wanted === '*') return true;
  if (wanted.startsWith('.')) {
    const wantedType = guessMimeType(wanted, '');
    return name.toLowerCase().endsWith(wanted) || (wantedType !== '' && wantedType === mimeType);
  }
  return wanted.endsWith('/*') ? mimeType.startsWith(wanted.slice(0, -1)) : mimeType === wanted;
}

/** Only what is certain to be refused is held back: the plan judges the rest. */
function takesKind({ accepts, tools }: PolicyAgent, file: TypedFile, converts: boolean): boolean {
  // A file whose name tells nothing is judged by its bytes, which the server has to see.
  if (tools === 'yes' || file.kind === 'unsupported') return tools !== 'no' || !isClosedType(file.mimeType);
  const accepted = (kind: AttachmentKind) => accepts.find((each) => each.kind === kind);
  const own = accepted(file.kind);
  if (own === undefined) return true;
  // Pages of a document become images, or its text is taken out.
  const isConverted =
    file.kind === 'document' &&
    converts &&
    (accepted('image')?.accepted === 'yes' || accepted('text')?.accepted === 'yes');
  if (isConverted) return true;
  if (own.accepted !== 'yes') return file.kind === 'text' && own.accepted === 'unknown';
  return converts || own.mimeTypes.length === 0 || own.mimeTypes.includes(file.mimeType);
}
