/** The facts that a release rests on, read by the caller. */
export type ReleaseFacts = {
  /** The lines of `git status --porcelain`. */
  status: string;
  changelog: string;
  /** The versions of all packages that are published. */
  versions: readonly string[];
};

/** Why there can be no release, one sentence for each reason; none if there can. */
export function checkRelease({ status, changelog, versions }: ReleaseFacts): string[] {
  const [version = ''] = versions;
  const reasons: string[] = [];
  if (status.trim() !== '') reasons.push('The tree has changes that are not committed: commit or remove them.');
  if (new Set(versions).size > 1)
    reasons.push(`The packages have different versions (${versions.join(', ')}): run \`npm run changeset version\`.`);
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} – `));
  if (heading === undefined || !/ – \d{4}-\d{2}-\d{2}$/.test(heading))
    reasons.push(`CHANGELOG.md has no entry \`## ${version} – YYYY-MM-DD\`: write it, with the day of the release.`);
  return reasons;
}
