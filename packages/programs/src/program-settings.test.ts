import type { AgentEndpoint, AgentSpec } from '@attache/agent-process';
import { givenSpec } from '@attache/agent-process/given-spec';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { describe, expect, it } from 'vitest';
import { programs } from './programs.ts';

type Subject = {
  title: string;
  api: AgentEndpoint['api'];
  settingsOf(spec: AgentSpec): Promise<ProgramSettings>;
};

const subjects: Subject[] = [];
for (const { name = '', loadDriver, loadTrial } of programs) {
  const trial = await loadTrial?.();
  const driver = await loadDriver();
  if (trial === undefined) continue;
  const settingsOf = async (spec: AgentSpec) =>
    driver.settingsOf({ ...spec, command: [`no-such-${name}`] }, { PATH: '/nowhere' });
  subjects.push({ title: name, api: trial.api, settingsOf });
}
const apis = ['anthropic', 'openai-responses', 'openai-chat', 'google'] as const;

const given = (api: AgentEndpoint['api']) =>
  givenSpec({
    endpoint: { api, baseUrl: 'https://api.example.com', apiKey: 'sk-key' },
    mcpCommand: ['/opt/attache-mcp'],
    model: 'some-model',
    resumeReference: '0199-ab',
  });

describe.each(subjects)('settings of $title', ({ api, settingsOf }) => {
  it('have secrets in the environment alone: no argument and no file tells them [S26 S27]', async () => {
    const { args, env, files } = await settingsOf(given(api));
    expect(JSON.stringify(env)).toContain('sk-key');
    expect(JSON.stringify([args, files])).not.toMatch(/sk-key|ata_token/);
  });

  it('keep all that the program writes in the folder of its agent [DL-78]', async () => {
    const { env, files, homeFolder } = await settingsOf(given(api));
    const places = [
      homeFolder,
      ...files.map(({ path }) => path),
      ...Object.values(env).filter((value) => /^\//.test(value)),
    ];
    for (const place of places) expect(place).toMatch(/^\/data\/agents\/agt\//);
  });

  it('have no flag but their own, whatever a value holds [S26 A28]', async () => {
    const flagsOf = async (spec: AgentSpec) => (await settingsOf(spec)).args.filter((word) => word.startsWith('-'));
    const hostile = {
      ...given(api),
      model: 'm/--settings=x',
      mcpCommand: ['/opt/--settings=x', '--settings=x', '-c'],
      endpoint: { api, baseUrl: 'https://h/ --settings=x', apiKey: '--settings=x' },
    };
    expect(await flagsOf(hostile)).toEqual(await flagsOf(given(api)));
  });

  it('refuse an endpoint of an API that the program does not speak, and say which it speaks', async () => {
    const refusals = await Promise.all(apis.map(async (each) => (await settingsOf(given(each))).refusal));
    const spoken = apis.filter((_, index) => refusals[index] === undefined);
    expect(spoken).toContain(api);
    for (const refusal of refusals.filter((each) => each !== undefined)) expect(refusal).toContain(api);
  });
});
