/** Characters of an attachment id: `att_` and 16 bytes as base64url. */
export const ID_LENGTH = 26;

// What follows is looked at and not taken, so that one candidate may begin inside another. The last of the 22 holds two bits of the 128;
// a change of letter case is a candidate, too.
const candidatePattern = /[aA][tT]{2}_(?=([A-Za-z0-9_-]{21}[AQGWaqgw]))/g;

/** Adds whatever is spelled like an attachment id, in any letter case, at every offset of `text`, as it stands there. */
export function findCandidates(text: string, found: Set<string>): void {
  if (!text.includes('_')) return;
  candidatePattern.lastIndex = 0;
  for (let match = candidatePattern.exec(text); match !== null; match = candidatePattern.exec(text)) {
    found.add(match[0] + match[1]);
  }
}
