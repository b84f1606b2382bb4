import { modelSchema, type Profiles, type Runtime, type Target, type TargetRequest } from '@attache/contracts';

export type TargetFault = 'unknown-profile' | 'malformed-model' | 'model-missing';

export type TargetOutcome =
  | { ok: true; target: Target }
  /** `message` says what is wrong and what to do. */
  | { ok: false; reason: TargetFault; message: string };

/** Runtimes whose agents choose a model of their own when they are given none. */
const choosesModel: ReadonlySet<Runtime> = new Set(['acp']);

/** Resolves a caller's request (profile, perhaps a model) to runtime, provider and model. */
export function resolveTarget(profiles: Profiles, request: TargetRequest): TargetOutcome {
  const profile = Object.hasOwn(profiles, request.profile) ? profiles[request.profile] : undefined;
  if (profile === undefined) {
    const known = Object.keys(profiles).toSorted().join(', ');
    return refuse('unknown-profile', `There is no such profile. Name one of: ${known || '(none is configured)'}.`);
  }
  const model = request.model ?? profile.model ?? (choosesModel.has(profile.runtime) ? 'default' : undefined);
  if (model === undefined) {
    return refuse('model-missing', `The profile ${request.profile} has no model of its own. Name one in target.model.`);
  }
  if (!modelSchema.safeParse(model).success) {
    return refuse(
      'malformed-model',
      'The model is not spelled as a model name. Use letters, digits and . _ : / @ + -, at most 128.',
    );
  }
  const provider = profile.provider ?? request.profile;
  return { ok: true, target: { profile: request.profile, runtime: profile.runtime, provider, model } };
}

function refuse(reason: TargetFault, message: string): TargetOutcome {
  return { ok: false, reason, message };
}
