import type { DriverHooks } from '@attache/agent-process';
import { describe, expect, it, vi } from 'vitest';
import { GATE_ALLOWS, GATE_TITLE } from '../extension/gate-dialog.ts';
import { answerDialog } from './answer-dialog.ts';

const never = new Promise<never>(() => undefined);
const dialogOf = (tool: string) => ({
  ...{ method: 'input', title: GATE_TITLE },
  placeholder: JSON.stringify({ callId: 'c1', tool, input: { command: 'true' } }),
});

function answer(
  dialog: Record<string, unknown>,
  decide: DriverHooks['onToolCall'] = async () => ({ decision: 'allow' }),
  interrupted: Promise<unknown> = never,
) {
  const onToolCall = vi.fn(decide);
  return { onToolCall, answered: answerDialog(dialog, { onToolCall } as unknown as DriverHooks, interrupted) };
}

describe('a dialog of pi', () => {
  it('about a call is put to the gateway, and answered as it says [BX-21]', async () => {
    const allowed = answer(dialogOf('bash'));
    expect(await allowed.answered).toEqual({ value: GATE_ALLOWS });
    const call = { callId: 'c1', tool: 'bash', title: 'bash', input: { command: 'true' }, isAttache: false };
    expect(allowed.onToolCall.mock.calls).toEqual([[call]]);
    const denied = answer(dialogOf('bash'), async () => ({ decision: 'deny', reason: 'not yours' }));
    expect(await denied.answered).toEqual({ value: 'Denied: not yours' });
  });

  it('is about a tool of Attaché by the name under which the extension offers it', async () => {
    const { onToolCall, answered } = answer(dialogOf('attache_resource_view'));
    await answered;
    expect(onToolCall.mock.calls[0]?.[0]).toMatchObject({ isAttache: true });
  });

  it.each([
    ['a hook that throws', () => answer(dialogOf('bash'), () => Promise.reject(new Error('down')))],
    ['a turn that is interrupted', () => answer(dialogOf('bash'), () => never, Promise.resolve())],
    ['a question that is no JSON', () => answer({ ...dialogOf('bash'), placeholder: '{' })],
  ])('is a denial after %s [BX-21]', async (_, ask) => {
    expect(await ask().answered).toEqual({ value: expect.stringMatching(/^Denied: /) });
  });

  it.each([{ method: 'confirm' }, { method: 'input', title: 'Your name?' }, {}])(
    'of anyone else is cancelled: %j',
    async (dialog) => {
      const { onToolCall, answered } = answer(dialog);
      expect(await answered).toEqual({ cancelled: true });
      expect(onToolCall).not.toHaveBeenCalled();
    },
  );
});
