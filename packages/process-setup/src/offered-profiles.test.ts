import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { leaveOutUnreachable } from './leave-out-unreachable.ts';
import { readOfferedProfiles } from './offered-profiles.ts';

const sample = fileURLToPath(new URL('../../../examples/profiles.json', import.meta.url));

const readSample = (readVariable: (name: string) => string | undefined) =>
  readOfferedProfiles(sample, '', { readVariable, opensTenantSecrets: false });

describe('the sample profiles file of the examples', () => {
  it('is taken as it is where its secrets are set, also by a stack whose agents run in a sandbox', () => {
    const offered = readSample(() => 'a-key');
    const { profiles, warnings } = offered;
    expect(Object.keys(profiles)).toEqual(['claude', 'my-agent']);
    expect(warnings).toEqual([]);
    expect(leaveOutUnreachable(offered, 'bubblewrap')).toEqual(offered);
  });

  it('is refused where they are not, with the name of each', () => {
    expect(() => readSample(() => undefined)).toThrow(
      /profile claude: endpoint\.apiKey names env:PLATFORM_ANTHROPIC_KEY, which is not set\n.+profile my-agent: secretEnv\.MY_AGENT_API_KEY names env:PLATFORM_MY_AGENT_KEY, which is not set$/,
    );
  });
});
