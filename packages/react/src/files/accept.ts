import type { SessionPolicy } from '@attache/contracts';

const HAS_PATTERN = /^(image|audio|video|text)$/;

/** The types that a file picker offers: `supported` if given, else those that the agents take, and images while that is not known. People can choose other files all the same. */
export function listAccepted({
  supported,
  policy,
  to,
}: {
  supported?: readonly string[] | undefined;
  policy?: SessionPolicy | undefined;
  to?: readonly string[] | undefined;
}): string {
  if (supported) return supported.join(',');
  if (!policy) return 'image/*';
  const agents = policy.agents.filter(({ agentId }) => !to || to.includes(agentId));
  // An agent with tools can be given a file of any kind.
  if (agents.some(({ tools }) => tools === 'yes')) return '';
  const taken = agents.flatMap(({ accepts }) => accepts.filter(({ accepted }) => accepted === 'yes'));
  const types = taken.flatMap(({ kind, mimeTypes }) =>
    HAS_PATTERN.test(kind) ? [`${kind}/*`, ...mimeTypes] : mimeTypes,
  );
  return [...new Set(types)].join(',');
}
