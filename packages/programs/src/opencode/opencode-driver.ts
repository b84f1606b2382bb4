import { recordOf } from '@attache/agent-process/messages/json-values';
import { ATTACHE_TOOLS } from '@attache/agent-process/settings/attache-tools';
import { plainTraits } from '../acp/acp-traits.ts';
import { createAcpDriver } from '../acp/create-acp-driver.ts';
import { openCodeSettings } from './opencode-settings.ts';

const OWN_TITLE = new RegExp(`^attache_(${ATTACHE_TOOLS.join('|')})$`);

export const openCodeDriver = createAcpDriver(openCodeSettings, {
  ...plainTraits,
  resendsRefusedFiles: true,
  // A command has itself as its title, and says so in its arguments; a tool of a server has its name, and none.
  isAboutAttache: ({ kind, title, rawInput }) =>
    kind === 'other' && OWN_TITLE.test(String(title)) && Object.keys(recordOf(rawInput)).length === 0,
});
