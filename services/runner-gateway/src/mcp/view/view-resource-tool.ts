import type { Attachment } from '@attache/contracts';
import { type Granted, logView, readGranted } from '../../granted/read-granted.ts';
import type { AgentTool, ToolScope } from '../agent-tool.ts';
import { answerFacts, type Refusal, type Shown, type ToolAnswer } from '../tool-answer.ts';
import { type ViewInput, viewInput } from '../tool-inputs.ts';
import { type ChosenView, chooseView, type ShownView } from './choose-view.ts';
import { identify } from './describe-shown.ts';
import { findUnready } from './find-unready.ts';
import { showDerived, showOriginal } from './show-image.ts';
import { showText } from './show-text.ts';
import { denyConversion, readViewRules } from './view-rules.ts';

export const viewTool: AgentTool = {
  name: 'resource_view',
  title: 'View an attachment',
  description:
    'Shows a file again, for this turn: an image, or a part of it in full detail by crop; one page of a PDF; the text of a PDF or of a text file by textRange. The answer says scale and crop, so that coordinates can be mapped back to the original.',
  input: viewInput,
  isReadOnly: true,
  run: (scope, input) => view(scope, input as ViewInput),
};

/** Brings the original back for one turn (SR-06). What was shown, and only that, is in the log (SR-25). */
async function view(scope: ToolScope, input: ViewInput): Promise<ToolAnswer | Refusal> {
  const granted = await readGranted(scope.deps, scope.owner, input.attachmentId);
  const { attachment } = granted;
  const unready = findUnready(attachment);
  if (unready) return unready;
  const rules = await readViewRules(scope);
  const chosen = chooseView(attachment, input, rules.forms);
  const denied = denyConversion(rules, attachment, chosen);
  if (denied) return denied;
  const { dryRun = false } = input;
  if (dryRun || chosen.form === 'none')
    return answerFacts({ ...(dryRun ? { dryRun } : {}), ...identify(attachment), ...announce(attachment, chosen) });
  const shown = await show(scope, granted, chosen);
  if (!('answer' in shown)) return shown;
  await logView(scope.deps, scope.owner, granted, { view: chosen.view, bytes: shown.bytes });
  return shown.answer;
}

/** The facts that are known before any byte is read. */
function announce({ mimeType, sizeBytes, facts }: Attachment, chosen: ChosenView): Record<string, unknown> {
  switch (chosen.form) {
    case 'original':
      return { form: 'image', shown: { mimeType, sizeBytes, width: facts.width, height: facts.height } };
    case 'image': {
      const { purpose: _, ...shown } = chosen.recipe;
      return { form: 'image', shown, ...(chosen.isStill ? { frame: 1 } : {}) };
    }
    case 'text':
      return { form: 'text', ...chosen.view, textRange: chosen.range };
    case 'none':
      return { form: 'none', facts, reason: chosen.reason };
    default:
      return chosen satisfies never;
  }
}

async function show(scope: ToolScope, granted: Granted, chosen: ShownView): Promise<Shown | Refusal> {
  switch (chosen.form) {
    case 'original':
      return showOriginal(scope, granted);
    case 'image':
      return showDerived(scope, granted, chosen);
    case 'text':
      return showText(scope, granted, chosen);
    default:
      return chosen satisfies never;
  }
}
