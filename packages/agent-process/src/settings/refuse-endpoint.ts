import type { AgentEndpoint } from '../driver.ts';
import type { ProgramSettings } from './program-settings.ts';

/** The refusal for a program that cannot be made to speak another model API than its own. */
export function refuseEndpoint(
  endpoint: AgentEndpoint,
  spoken: readonly AgentEndpoint['api'][],
): ProgramSettings['refusal'] {
  if (spoken.includes(endpoint.api)) return undefined;
  return `its profile's endpoint is ${endpoint.api}; this program speaks ${spoken.join(' or ')} only`;
}
