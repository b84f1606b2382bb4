import type { FoundBubblewrap } from '@attache/agent-process';
import { type ChosenSandbox, describeUnreachable } from '@attache/programs/choose-sandbox';
import { describeUndeniable } from '@attache/programs/find-denial';
import type { Finding } from '../finding.ts';
import type { ModelWay, ProfileReport } from './examine-profile.ts';

type Found = Omit<Finding, 'name'>;

const MAX_DIAGNOSTIC_CHARACTERS = 160;

/** One finding for each check of a profile. Only what a file names can be wrong: the rest is merely there or not. */
export function findingsOfReport(report: ProfileReport): Finding[] {
  const findings = {
    program: judgeProgram(report),
    ...(report.programPath === undefined
      ? {}
      : {
          start: judgeStart(report),
          ...judgeRequest(report),
          takes: judgeAbilities(report),
          gate: judgeGate(report),
          sandbox: judgeSandbox(report),
          ...(report.modelWay === undefined ? {} : { model: judgeModelWay(report.modelWay) }),
          restart: judgeRestart(report),
        }),
  };
  return Object.entries(findings).map(([check, found]) => ({ name: `${report.profile}: ${check}`, ...found }));
}

const stateOfFault = ({ isNamedInFile }: Pick<ProfileReport, 'isNamedInFile'>) =>
  isNamedInFile ? 'failed' : 'warning';

function judgeProgram(report: ProfileReport): Found {
  const { program, programPath, version, start } = report;
  if (programPath === undefined) {
    const fix = `Install ${program}, or name the absolute path of the program in the \`command\` of the profile.`;
    return { state: stateOfFault(report), detail: `${program} is not there`, fix };
  }
  if (report.isBundled) return { state: 'ok', detail: `${program} comes with Attaché` };
  const told = version ?? (start.status === 'started' ? start.programVersion : undefined);
  return { state: 'ok', detail: `${programPath}, ${told ?? 'no version told'}` };
}

function judgeStart(report: ProfileReport): Found {
  const { start } = report;
  const place = ['sandboxed', 'wrapped'].includes(report.sandbox.status) ? ', in its sandbox' : '';
  switch (start.status) {
    case 'started':
      return { state: 'ok', detail: `ready for a prompt after ${(start.tookMs / 1000).toFixed(1)} s${place}` };
    case 'not-tried':
      return { state: 'ok', detail: `not tried: ${start.why}` };
    case 'failed': {
      const { code, diagnostic = '', userMessage } = start.failure;
      const [line = ''] = diagnostic.split('\n');
      const detail = `${code}: ${line.slice(0, MAX_DIAGNOSTIC_CHARACTERS)}`;
      return { state: stateOfFault(report), detail, fix: userMessage };
    }
    default:
      return start satisfies never;
  }
}

/** Only the first request: later ones may hold more. */
function judgeRequest({ start, triedVersion, profile, isNamedInFile }: ProfileReport): { request?: Found } {
  if (start.status !== 'started' || start.request === undefined) return {};
  const { request } = start;
  const tried = triedVersion === undefined ? '' : `: Attaché was tried with version ${triedVersion}`;
  if (request.status === 'passed') return { request: { state: 'ok', detail: 'its first request passes the relay' } };
  if (request.status === 'not-asked')
    return { request: { state: 'warning', detail: 'it asked its model for nothing within 30 s' } };
  const field = request.field === undefined ? '' : `, ${request.field}`;
  const detail = `the relay refuses its first request: ${request.code}${field}`;
  const fix = `Use another version of the program${tried}. What may be opened is in the \`endpoint\` of ${profile}.`;
  return { request: { state: stateOfFault({ isNamedInFile }), detail, fix } };
}

function judgeAbilities({ abilities }: ProfileReport): Found {
  if (abilities.status === 'no-target') {
    const fix = 'Name one with each target, or in the `model` of a profile.';
    return { state: 'warning', detail: 'no model is named', fix };
  }
  const { takes, provider, model } = abilities;
  const detail = `${Object.entries(takes)
    .map(([kind, answer]) => `${kind} ${answer}`)
    .join(', ')} (${provider}, ${model})`;
  if (takes.image !== 'unknown' && takes.pdf !== 'unknown') return { state: 'ok', detail };
  const fix = 'What is unknown is refused: say in the `capability` of the profile what its model takes.';
  return { state: 'warning', detail, fix };
}

function judgeGate({ gate, permissionMode, denial, profile }: ProfileReport): Found {
  if (permissionMode === 'deny') return judgeDenial(profile, denial);
  const { place, coversEveryCall, note, runsAnyway } = gate;
  if (coversEveryCall) return { state: 'ok', detail: `every call: ${place}. ${note}` };
  const fix = 'Run it where what it does without asking harms nobody: an account or a container of its own.';
  const seen =
    runsAnyway.length === 0 ? '' : ` Seen to run although they named another session's file: ${runsAnyway.join(', ')}.`;
  return { state: 'warning', detail: `not every call: ${place}. ${note}${seen}`, fix };
}

/** Which file named it is of no account: an agent that cannot be denied its tools is not started. */
function judgeDenial(profile: string, denial: ProfileReport['denial']): Found {
  switch (denial?.evidence) {
    case 'trial':
      return { state: 'ok', detail: `no tools but those of Attaché: ${denial.by}` };
    case 'operator':
      return { state: 'ok', detail: 'no tools but those of Attaché, on the word of the profile' };
    case undefined:
      return { state: 'failed', detail: 'its own tools cannot be denied', fix: describeUndeniable(profile) };
    default:
      return denial satisfies never;
  }
}

/** Which file named it is of no account: its agents are not started without one. */
function judgeSandbox({ sandbox, profile }: ProfileReport): Found {
  switch (sandbox.status) {
    case 'none':
      return describeNone(sandbox.isByProfile);
    case 'unreachable':
      return { state: 'failed', detail: 'nothing says what its agents reach', fix: describeUnreachable(profile) };
    case 'wrapped':
      return {
        state: 'ok',
        detail: `${sandbox.program}, the profile’s own: what it keeps agents from is its maker’s word`,
      };
    case 'sandboxed':
      if (sandbox.barrier !== undefined) return describeBarred(sandbox.barrier);
      return judgeBubblewrap(
        sandbox.bubblewrap,
        `its agents see their own folder alone, and reach ${nameReached(sandbox.network)}`,
      );
    default:
      return sandbox satisfies never;
  }
}

const describeBarred = (barrier: string): Found => ({
  state: 'failed',
  detail: `the users of ATTACHE_AGENT_UIDS cannot enter or read ${barrier}`,
  fix: 'Let others enter and read it, or install the program where they can.',
});

function describeNone(isByProfile: boolean): Found {
  const why = isByProfile ? 'on the word of the profile' : 'since none works here';
  return { state: 'warning', detail: `none, ${why}: its agents see what the user of their gateway sees` };
}

function judgeBubblewrap(found: FoundBubblewrap, detail: string): Found {
  if (found.status === 'works') return { state: 'ok', detail };
  const [line = ''] = found.said.split('\n');
  const said = line === '' ? '' : `: ${line.slice(0, MAX_DIAGNOSTIC_CHARACTERS)}`;
  return { state: 'failed', detail: `${found.cause}${said}`, fix: found.remedy };
}

function nameReached(network: ChosenSandbox['network']): string {
  if (network === 'relay') return 'their model API alone';
  return network === 'none' ? 'nobody' : network.allow.join(', ');
}

function judgeModelWay(way: ModelWay): Found {
  if (way === 'relay') return { state: 'ok', detail: 'by the relay; its key stays with the gateway' };
  const fix = 'Name the model API, with its key, in the `endpoint` of the profile.';
  return { state: 'warning', detail: 'key in the child, no proof on the wire', fix };
}

function judgeRestart({ survivesRestart }: ProfileReport): Found {
  const details = {
    yes: 'its conversation continues in a later process',
    no: 'a later process begins a new conversation, with the history from the log',
    unknown: 'not known before it was started',
  };
  return { state: 'ok', detail: details[survivesRestart] };
}
