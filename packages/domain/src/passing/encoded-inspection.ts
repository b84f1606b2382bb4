import { claimTextType, type FileClaims } from '../file-type/label-file.ts';
import { sniffMediaType } from '../file-type/sniff-media-type.ts';
import { sniffPdf } from '../file-type/sniff-pdf.ts';
import { listFirstEncodings } from '../file-type/text/first-encodings.ts';
import { isTextFormat, nameTextType } from '../file-type/text/name-text-type.ts';
import { createTextCheck, type TextCheck } from '../file-type/text/text-check.ts';
import { decodeOpening } from '../file-type/text/text-decoder.ts';
import { createMediaCounter, type MediaCounter } from '../media/count-media.ts';
import { createFileHead } from './file-head.ts';
import { describePassing, type PassingFinding, type PassingInspection } from './passing-inspection.ts';

/**
 * Inspects a text whose encoding somebody named, while it passes, in bounded memory. The label must be known. `end` is undefined where the file is no text
 * in it; a few bytes may be none.
 */
export function createEncodedInspection(encoding: string, claims: FileClaims): PassingInspection {
  const head = createFileHead();
  const media = createMediaCounter();
  const check = createTextCheck(encoding, { isLenient: true, onText: media.push });
  return {
    push(bytes) {
      head.add(bytes);
      check.push(bytes);
    },
    end: () => conclude(head.take(), { encoding, check, claims, media }),
  };
}

type Checked = { encoding: string; check: TextCheck; claims: FileClaims; media: MediaCounter };

function conclude(head: Uint8Array, { encoding, check, claims, media }: Checked): PassingFinding | undefined {
  const magic = sniffPdf(head) ?? sniffMediaType(head);
  if ((magic !== undefined && !isTextFormat(magic)) || !check.end()) return undefined;
  const mimeType = nameTextType(decodeOpening(head, encoding), { magic, textType: claimTextType(claims) });
  const { encodings, hasByteOrderMark } = listFirstEncodings(head);
  const { replaced } = check.faults();
  return describePassing(
    mimeType,
    {
      encoding,
      hasByteOrderMark: hasByteOrderMark && encodings[0] === encoding,
      ...(replaced > 0 ? { textFaults: { replaced } } : {}),
      ...media.facts(),
    },
    claims,
  );
}
