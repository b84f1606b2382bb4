import path from 'node:path';
import type { AgentSpec, DeliveryContents } from '../driver.ts';
import type { EmbeddedBytes } from '../frames/create-frame.ts';
import { insidePlaces } from './places.ts';

/** Whether the agent has other paths than its gateway: an operator's wrapper shows all of them where they are. */
const hasOwnPaths = ({ sandbox }: Pick<AgentSpec, 'sandbox'>): boolean =>
  sandbox !== undefined && sandbox.command === undefined;

/** The path by which an agent knows its own folder: a sandboxed agent's is at the same place in every sandbox. */
export function folderInside(spec: Pick<AgentSpec, 'folder' | 'sandbox'>): string {
  return hasOwnPaths(spec) ? insidePlaces.folder : spec.folder;
}

/** The spec with all paths as the program knows them: of this its settings are made, and its protocol is spoken. */
export function specInside(spec: AgentSpec): AgentSpec {
  if (!hasOwnPaths(spec)) return spec;
  return { ...spec, folder: folderInside(spec), socketPath: insidePlaces.agentSocket };
}

/** Translates `place`, a path inside the sandbox, to the path outside. Undefined if it is not in the agent's folder. */
export function placeOutside(spec: Pick<AgentSpec, 'folder' | 'sandbox'>, place: string): string | undefined {
  const relative = path.relative(folderInside(spec), place);
  const isBeneath = relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative);
  return isBeneath ? path.join(spec.folder, relative) : undefined;
}

/** A delivery's files with the paths by which a sandboxed program opens them. */
export function contentsInside(spec: AgentSpec, contents: DeliveryContents): DeliveryContents {
  if (!hasOwnPaths(spec)) return contents;
  return {
    embedded: (reference) => nameInside(spec, contents.embedded(reference)),
    text: (reference) => contents.text(reference),
  };
}

function nameInside(spec: AgentSpec, content: EmbeddedBytes): EmbeddedBytes {
  if (!('path' in content)) return content;
  return { ...content, shownPath: path.join(folderInside(spec), path.relative(spec.folder, content.path)) };
}
