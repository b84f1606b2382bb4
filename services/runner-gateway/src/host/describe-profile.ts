import type { AgentSpec } from '@attache/agent-process';
import type { Profile, Target } from '@attache/contracts';
import { permissionModeOf } from '@attache/domain';
import { abilitiesOfModel } from '@attache/programs/abilities-of-model';
import type { ChosenSandbox } from '@attache/programs/choose-sandbox';
import { foldersOfPrograms } from '@attache/programs/folders-of-programs';
import type { GatewaySettings } from '../gateway-deps.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { resolveSecrets } from '../secrets/resolve-secrets.ts';
import { describeCommand } from './describe-command.ts';

const OUTPUT_BYTES = 256 * 1024 * 1024;
/** As each entry counts for 4 KiB at least, this is also a limit of a million files and folders. */
const FOLDER_BYTES = 4 * 1024 * 1024 * 1024;

/** The settings that a profile gives an agent with this target, except its model API. Its secrets are read here. */
export async function describeProfile(
  settings: GatewaySettings,
  profile: Profile,
  target: Target,
): Promise<
  Pick<
    AgentSpec,
    | 'command'
    | 'args'
    | 'env'
    | 'home'
    | 'provider'
    | 'model'
    | 'modelTakes'
    | 'permissionMode'
    | 'lineBytes'
    | 'limits'
    | 'sandbox'
  >
> {
  const { cpuSeconds, folderBytes = FOLDER_BYTES, outputBytes = OUTPUT_BYTES, lineBytes } = profile.limits;
  const sandbox = findSandbox(settings, profile);
  return {
    command: describeCommand(settings, profile),
    args: profile.args,
    env: { ...profile.env, ...(await resolveSecrets(profile, settings.readVariable)) },
    home: profile.home,
    provider: target.provider,
    model: target.model,
    modelTakes: abilitiesOfModel(target, profile),
    permissionMode: permissionModeOf(profile, settings.permissionMode),
    lineBytes,
    limits: {
      memoryBytes: smaller(profile.limits.memoryBytes, sandbox?.memoryBytes),
      cpuSeconds,
      folderBytes,
      outputBytes,
      processes: sandbox?.pids,
    },
    ...(sandbox && { sandbox: describeSandbox(settings, sandbox) }),
  };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function describeSandbox(
  { bundledPrograms, privateFolders }: GatewaySettings,
  { command, readOnly }: ChosenSandbox,
): NonNullable<AgentSpec['sandbox']> {
  return { command, readOnly: [...readOnly, ...foldersOfPrograms(bundledPrograms)], privateFolders };
}
