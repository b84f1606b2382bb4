import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { repositoryRoot } from '../source/source-files.ts';

/** One instruction without its flags; `args` are its words, or the elements of its JSON. */
export type Instruction = { keyword: string; flags: Record<string, string>; args: string[]; text: string };

/** One stage. `base` is an image or the name of an earlier stage. */
export type Stage = { name: string; base: string; instructions: Instruction[] };

/** The stages of a Dockerfile in order. Throws on an instruction before the first one. */
export function readStages(path: string): Stage[] {
  const stages: Stage[] = [];
  const parsed = DockerfileParser.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
  for (const instruction of parsed.getInstructions()) {
    const keyword = instruction.getKeyword();
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (keyword === 'FROM') {
      const [base = '', , name = base] = words;
      stages.push({ name, base, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`${keyword} stands before the first FROM of ${path}`);
    const flags = (instruction as { getFlags?: () => { getName(): string; getValue(): string | null }[] }).getFlags?.();
    stage.instructions.push({
      keyword,
      flags: Object.fromEntries((flags ?? []).map((flag) => [flag.getName(), flag.getValue() ?? ''])),
      args: words.map((word) => word.replace(/^\["|^"|",?\]?$/g, '')),
      text: instruction.getArgumentsContent() ?? '',
    });
  }
  return stages;
}

/** All instructions that make an image of the stage: its own after those of the stages below it; and the image at the bottom. */
export function flattenStage(stages: readonly Stage[], name: string): { image: string; instructions: Instruction[] } {
  const at = stages.findLastIndex((stage) => stage.name === name);
  const stage = stages[at];
  if (!stage) throw new Error(`there is no stage ${name}`);
  const below = stages.slice(0, at);
  if (!below.some((earlier) => earlier.name === stage.base)) {
    return { image: stage.base, instructions: stage.instructions };
  }
  const flat = flattenStage(below, stage.base);
  return { image: flat.image, instructions: [...flat.instructions, ...stage.instructions] };
}

/** The last instruction of a kind, which is the one that holds. */
export function lastOf(instructions: readonly Instruction[], keyword: string): Instruction | undefined {
  return instructions.findLast((instruction) => instruction.keyword === keyword);
}

/** The variables that ENV sets. */
export function readEnvironmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions.filter(({ keyword }) => keyword === 'ENV').flatMap(({ args }) => args);
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}
