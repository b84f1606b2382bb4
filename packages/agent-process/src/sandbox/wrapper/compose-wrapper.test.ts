import { expect, it } from 'vitest';
import { composeWrapper, findUnknownPlaceholder, type WrapperDescription } from './compose-wrapper.ts';

const description: WrapperDescription = {
  ...{ folder: '/data/agents/a', workFolder: '/data/agents/a/work', readOnly: ['/opt/node', '/opt/tool'] },
  hidden: ['/opt/tool/data'],
  ...{ socket: '/run/a.sock', relayPort: 4321, memoryBytes: 5, pids: undefined, environment: ['HOME', 'KEY'] },
};

it('fills in what a wrapper needs to know, in whatever form it takes that [BX-22]', () => {
  const composed = (command: string[]) => composeWrapper(command, description, '/run/a.json');
  expect(composed(['--whitelist={folder}', '--private-cwd={work}'])).toEqual([
    ...['--whitelist=/data/agents/a', '--private-cwd=/data/agents/a/work'],
  ]);
  expect(composed(['--volume={readOnly}:{readOnly}:ro', '--env={environment}'])).toEqual([
    ...['--volume=/opt/node:/opt/node:ro', '--volume=/opt/tool:/opt/tool:ro', '--env=HOME', '--env=KEY'],
  ]);
  expect(composed(['-p', 'MemoryMax={memoryBytes}', 'TasksMax={pids}', '{description}', '--'])).toEqual([
    ...['-p', 'MemoryMax=5', '/run/a.json', '--'],
  ]);
  expect(composed(['{socket}', '{relayPort}'])).toEqual(['/run/a.sock', '4321']);
});

it('takes a value as it is, whatever it holds', () => {
  const odd = { ...description, folder: '/data/$& {readOnly}', readOnly: ['/a b', '/c"'] };
  expect(composeWrapper(['{readOnly}={folder}'], odd, '/f')).toEqual([
    ...['/a b=/data/$& {readOnly}', '/c"=/data/$& {readOnly}'],
  ]);
});

it('finds a placeholder that is none', () => {
  expect(findUnknownPlaceholder(['--x={folder}', '{toString}'])).toBe('toString');
  expect(findUnknownPlaceholder(['--json={"a":1}', '{description}'])).toBeUndefined();
});
