import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryRoot } from '../source/source-files.ts';

/** The parts of a compose file that its check reads. */
export type ComposeService = {
  image?: string;
  build?: { context: string; dockerfile?: string; target?: string };
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  secrets?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  deploy?: { resources?: { limits?: Record<string, string | number> } };
};

export type ComposeFile = {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  secrets?: Record<string, unknown>;
};

/** Reads the compose file with its merges done and its variables as they are. Throws on a key that is there twice. */
export function readComposeFile(): ComposeFile {
  const text = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8');
  return parse(text, { merge: true, uniqueKeys: true });
}

const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?:(:[-?])([^}]*))?\}/g;

/** Every variable of a text, with the default that it may have; `isRequired` if there is none. */
export function listVariables(text: string): { name: string; isRequired: boolean; fallback: string }[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '', kind, rest = '']) => ({
    name,
    isRequired: kind === ':?',
    fallback: kind === ':-' ? rest : '',
  }));
}

/** The environment of a process of the service. Throws if a required variable has no value. */
export function resolveEnvironment(service: ComposeService, values: Readonly<Record<string, string>>) {
  const resolve = (text: string) =>
    text.replace(VARIABLE, (_, name: string, kind: string | undefined, rest: string) => {
      const value = values[name] || undefined;
      if (value === undefined && kind === ':?') throw new Error(`${name}: ${rest}`);
      return value ?? (kind === ':-' ? rest : '');
    });
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [name, resolve(String(value))]),
  );
}
