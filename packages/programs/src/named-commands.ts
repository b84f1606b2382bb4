import type { TrialPlace } from './program-trial.ts';

/** More than twenty commands, by name: they print what is in a file, or make one. */
export function listNamedCommands({ folder, textFile: file }: TrialPlace): [name: string, command: string][] {
  const made = (name: string) => `${folder}/made-by-${name}`;
  const reading = ['cat', 'head -1', 'tail -1', 'grep -r .', 'sed -n p', 'awk 1', 'sort', 'nl', 'tac', 'cut -c 1-'];
  const script = `const fs = require('fs'); fs.writeFileSync('${made('node')}', ''); console.log(fs.readFileSync('${file}', 'utf8'))`;
  return [
    ...reading.map((command): [string, string] => [command.split(' ')[0] ?? '', `${command} ${file}`]),
    ['echo "$(cat …)"', `echo "$(cat ${file})"`],
    ['ls', `ls ${folder}`],
    ['ls … && cat …', `ls -l ${folder} && cat ${folder}/*`],
    ['find', `find ${folder} -type f -exec cat {} +`],
    ['git', `git --no-pager diff --no-index /dev/null ${file}`],
    ['node', `node -e "${script}"`],
    ['python3', `python3 -c "open('${made('python')}', 'w'); print(open('${file}').read())"`],
    ['sh -c', `sh -c 'touch ${made('sh')}; cat ${file}'`],
    ['bash -lc', `bash -lc 'cat ${file}'`],
    ['env cat', `env cat ${file}`],
    ['touch', `touch ${made('touch')}`],
    ['cp', `cp ${file} ${made('cp')}`],
    ['echo', `echo hi > ${made('echo')}`],
    ['xargs …; cat < …', `xargs cat < /dev/null; cat < ${file}`],
  ];
}

export const listCommands = (place: TrialPlace): string[] => listNamedCommands(place).map(([, command]) => command);
