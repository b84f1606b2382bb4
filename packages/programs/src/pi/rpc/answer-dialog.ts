import type { DriverHooks } from '@attache/agent-process';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import { GATE_ALLOWS, GATE_TITLE, OWN_TOOL_PREFIX } from '../extension/gate-dialog.ts';

/** Responds to what the extension asks about a call. Fails closed; a dialog of anyone else is cancelled. */
export async function answerDialog(
  { method, title, placeholder }: JsonRecord,
  hooks: DriverHooks,
  interrupted: Promise<unknown>,
): Promise<JsonRecord> {
  if (method !== 'input' || title !== GATE_TITLE) return { cancelled: true };
  try {
    const { callId, tool: named, input } = recordOf(JSON.parse(stringOf(placeholder) ?? ''));
    const tool = stringOf(named) ?? '';
    const call = { callId: stringOf(callId) ?? '', tool, title: tool, input };
    const asked = hooks.onToolCall({ ...call, isAttache: tool.startsWith(OWN_TOOL_PREFIX) });
    const denied = { decision: 'deny', reason: 'the turn was interrupted' } as const;
    const decision = await Promise.race([asked, interrupted.then(() => denied)]);
    return { value: decision.decision === 'allow' ? GATE_ALLOWS : `Denied: ${decision.reason}` };
  } catch {
    return { value: 'Denied: the gate did not answer' };
  }
}
