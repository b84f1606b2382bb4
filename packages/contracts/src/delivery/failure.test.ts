import { describe, expect, it } from 'vitest';
import { errorCodes } from '../errors/error-codes.ts';
import { Fault, isFault } from '../errors/fault.ts';
import { failureCodes, failureSchema } from './failure.ts';

const attachmentCodes = [
  ...['too_large_original', 'too_large_optimized', 'serialized_payload_too_large', 'unsupported_mime'],
  ...[
    'type_unsupported',
    'corrupt_image',
    'corrupt',
    'pixels_exceeded',
    'inspection_too_costly',
    'encrypted',
    'pending',
    'rejected',
    'missing',
  ],
  ...[
    'checksum_mismatch',
    'optimization_failed',
    'page_unreadable',
    'runtime_unsupported',
    'model_unsupported',
    'model_vision_unsupported',
  ],
  ...['model_vision_unknown', 'model_unknown', 'conversion_denied', 'artifact_missing', 'artifact_write_failed'],
  ...['provider_auth_required', 'provider_quota_exceeded', 'provider_rate_limited', 'provider_rejected'],
  ...['earlier_rejected', 'not_granted'],
];
const deliveryCodes = [
  ...['runtime_transport_failed', 'agent_missing', 'agent_start_failed', 'agent_auth_required', 'agent_crashed'],
  ...['protocol_error', 'turn_timeout', 'stalled', 'outcome_unknown', 'cancelled', 'sandbox_unavailable'],
  'target_unknown',
];

const failure = {
  ...{ code: 'attachment_missing', severity: 'error', retryable: true },
  ...{ userMessage: 'The file is gone. Upload it again.', diagnostic: 'no blob' },
};

describe('failures', () => {
  it('have the codes of the requirement, and no other [DL-37]', () => {
    expect([...failureCodes]).toEqual([
      ...attachmentCodes.map((code) => `attachment_${code}`),
      ...deliveryCodes.map((code) => `delivery_${code}`),
    ]);
  });

  it('are none without code, severity, sentence for people, diagnostic and whether to retry [DL-38]', () => {
    expect(failureSchema.safeParse(failure).success).toBe(true);
    for (const field of ['code', 'severity', 'userMessage', 'diagnostic', 'retryable'])
      expect(failureSchema.safeParse({ ...failure, [field]: undefined }).success, field).toBe(false);
  });

  it('lose what no field is for: a stack or bytes do not pass [DL-41]', () => {
    expect(failureSchema.parse({ ...failure, stack: 'at x', data: 'AAAA' })).toEqual(failure);
    expect(failureSchema.safeParse({ ...failure, safeDetails: { nested: { stack: 'at x' } } }).success).toBe(false);
  });
});

describe('faults', () => {
  it('have codes that are told apart, each once', () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes.filter((code) => !/^[A-Z]+(_[A-Z]+)*$/.test(code))).toEqual([]);
  });

  it('keep their cause, and are not retryable unless they say so [DL-42]', () => {
    const cause = new Error('ECONNREFUSED');
    const fault = new Fault('STORAGE_UNAVAILABLE', 'Try again.', { retryable: true, cause });
    expect(fault).toMatchObject({ name: 'Fault', code: 'STORAGE_UNAVAILABLE', retryable: true, cause });
    expect(new Fault('INTERNAL', 'A bug.').retryable).toBe(false);
  });

  it('are known from other errors, and by their code', () => {
    const fault = new Fault('NO_FILE', 'Send a file.');
    expect([isFault(fault), isFault(fault, 'NO_FILE'), isFault(fault, 'INTERNAL')]).toEqual([true, true, false]);
    expect(isFault(Object.assign(new Error('no'), { code: 'NO_FILE' }))).toBe(false);
  });
});
