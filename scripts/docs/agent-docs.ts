import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programs } from '@attache/programs';
import type { Program } from '@attache/programs/program';
import { type Cells, fillTables } from './fill-tables.ts';
import type { GeneratedDoc } from './generated-doc.ts';

const path = 'docs/agents.md';
const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The page on agents with the tables that are made from the programs. */
export function composeAgentDocs(): GeneratedDoc[] {
  const made = Object.fromEntries(Object.entries(tables).map(([name, make]) => [name, make()]));
  return [{ path, text: fillTables({ path, text: readFileSync(file, 'utf8') }, made) }];
}

const tables: Readonly<Record<string, () => Cells>> = {
  profiles: () => [['Profile', 'Program', 'Runtime'], ...programs.flatMap(describeProfile)],
  endpoints: () => [['Program', 'APIs of `endpoint.api`', 'By', 'Model'], ...programs.map(describeEndpoint)],
  hosts: () => [['Program', 'Hosts'], ...programs.flatMap(describeHosts)],
  errands: () => [['Program', 'Between turns', 'By another model, at any time'], ...programs.flatMap(describeErrands)],
  gates: () => [
    ['Program', 'Its calls come by', 'Every call', 'Beside it'],
    ...programs.map((program) => {
      const { place, coversEveryCall, note } = program.gate;
      return [nameProgram(program), place, coversEveryCall ? 'yes' : 'no', note];
    }),
  ],
  denials: () => [
    ['Program', 'Its tools are switched off by', 'Of a copied `home`'],
    ...programs.map((program) => [
      nameProgram(program),
      program.gate.denial ?? 'nothing is known of it',
      program.words.homeUnderDeny ?? '',
    ]),
  ],
  proofs: () => [['Runtime', '`written`', '`responded`'], ...programs.flatMap(describeProof)],
  resumes: () => [
    ['Program', 'Continues by'],
    ...programs.map((program) => [nameProgram(program), program.words.resumesBy]),
  ],
  memory: () => [['Program', 'Files of a checkpoint, in the agent’s folder'], ...programs.flatMap(describeMemory)],
};

function describeMemory(program: Program): Cells {
  const { memory } = program;
  if (memory === undefined)
    return [[nameProgram(program), 'none: a new process continues nothing, or nobody knows its files']];
  return [[nameProgram(program), memory.files.map(({ path }) => code(path)).join(', ')]];
}

function describeProfile({ profile, runtime, isBundled }: Program): Cells {
  if (profile === undefined || isBundled) return [];
  return [[code(profile.name), code(profile.command.join(' ')), code(runtime)]];
}

function describeEndpoint(program: Program): readonly string[] {
  const { endpoint } = program.words;
  if (endpoint !== undefined)
    return [nameProgram(program), endpoint.apis.map(code).join(', '), endpoint.by, endpoint.model];
  return [nameProgram(program), 'refused', 'it calls no model', ''];
}

function describeHosts({ hosts, ...program }: Program): Cells {
  if (hosts === undefined) return [];
  return [[nameProgram(program), hosts.map(code).join(', ') || 'none: it needs nobody']];
}

const errandWords = {
  models: 'a list of models',
  'count-tokens': 'a count of tokens',
  generate: 'a short answer, as a title',
};

function describeErrands(program: Program): Cells {
  if (program.isBundled || program.words.endpoint === undefined) return [];
  const own = program.errands.filter(({ model }) => model === undefined).map(({ kind }) => errandWords[kind]);
  const others = program.errands.flatMap(({ kind, model }) =>
    model === undefined ? [] : [`${errandWords[kind]}: ${code(model)}`],
  );
  return [[nameProgram(program), own.join(', ') || 'nothing', others.join(', ') || 'nothing']];
}

function describeProof({ runtime, words: { proof } }: Program): Cells {
  return proof === undefined ? [] : [[code(runtime), proof.written, proof.responded]];
}

function nameProgram({ name, profile, runtime }: Program): string {
  return name === undefined ? `any other of ${code(runtime)}` : code(profile?.command.join(' ') ?? name);
}

const code = (text: string): string => `\`${text}\``;
