import type { FailureCode } from '../delivery/failure.ts';
import type { FailureExplanation } from './failure-explanation.ts';

type DeliveryFailureCode = Extract<FailureCode, `delivery_${string}`>;

const ofDriver = { raisedBy: ['driver'], retryable: 'yes' } as const;

/** Failures of a message on its way to one agent. */
export const deliveryFailureExplanations: Record<DeliveryFailureCode, FailureExplanation> = {
  delivery_runtime_transport_failed: {
    raisedBy: ['bus', 'gateway', 'driver'],
    retryable: {
      dependsOn:
        'whether a retry can help. It cannot if the program sends a file that the provider refused in an earlier turn with every later turn again.',
    },
    when: 'The agent closed its output without exiting, or answered a message without attachments with an error of its own. Or the delivery failed on our side; if the bus gave up its message, the failure names the dead letter. As the warning of an answered delivery: nothing of its turn reached the model, as far as the relay or the proxy of its sandbox saw.',
    whatToDo:
      'Read the diagnostic, then retry. If it is a warning, the answer is the words of the program alone: check how it finds its model. If the failure is not retryable, continue with another agent or in a new session. If it persists, report the trace id. The operator retries everything that an incident killed with attache dead replay --all.',
  },
  delivery_agent_missing: {
    raisedBy: ['gateway'],
    retryable: 'no',
    when: 'The agent was removed from its session before the message reached it.',
    whatToDo: 'Send the message to another agent.',
  },
  delivery_agent_start_failed: {
    raisedBy: ['gateway', 'driver'],
    retryable: 'yes',
    when: 'The program of the agent is not installed, ended or answered with an error before its session was open, did not answer in time, or speaks another version of its protocol. Or this installation has no driver for the runtime of the profile, or the profile denies its program tools that no known setting switches off.',
    whatToDo:
      'Check that the command of the profile is installed and runs by hand, read what attache doctor says of the profile, then retry.',
  },
  delivery_agent_auth_required: {
    ...ofDriver,
    raisedBy: ['gateway', 'driver'],
    when: 'A key that the profile names is missing, empty or cannot be decrypted, so that the agent does not start or its turn ends. Or the agent or its provider reports that it is not signed in.',
    whatToDo:
      'Give the profile a key or a signed-in home, then retry. If it uses a secret of the tenant, save that secret.',
  },
  delivery_agent_crashed: {
    ...ofDriver,
    when: 'The program of the agent ended before it answered.',
    whatToDo: 'Read the diagnostic, which has its last output, then retry.',
  },
  delivery_protocol_error: {
    ...ofDriver,
    when: 'The program of the agent violated its protocol and was stopped, or did not understand a request of the protocol.',
    whatToDo: 'Check the version of the program, then retry.',
  },
  delivery_turn_timeout: {
    ...ofDriver,
    when: 'The agent did not end its turn within the time limit of its profile. It was asked to stop, then terminated.',
    whatToDo: 'Retry, or raise the time limit of a turn in the profile.',
  },
  delivery_stalled: {
    ...ofDriver,
    when: 'The agent stopped reading while the message was being written, and was terminated.',
    whatToDo: 'Check what the agent did, then retry.',
  },
  delivery_outcome_unknown: {
    raisedBy: ['gateway'],
    retryable: 'yes',
    when: 'The gateway ended while the message was on its way, and nothing proves whether the agent got it. Attaché never sends it again on its own.',
    whatToDo: 'Check what the agent did. Retry only if it may get the message twice.',
  },
  delivery_cancelled: {
    raisedBy: ['gateway', 'driver'],
    retryable: {
      dependsOn: 'how the delivery ended: one that failed with it can be retried, one that is cancelled cannot.',
    },
    when: 'Someone cancelled the delivery, its session ended or its agent was removed before it was written, or the agent was stopped during the turn.',
    whatToDo: 'Retry a failed delivery. Send the message of a cancelled one again.',
  },
  delivery_sandbox_unavailable: {
    ...ofDriver,
    when: 'The agent runs in a sandbox, by its profile or by its stack, and bubblewrap does not work on the machine of the gateway. Nothing started.',
    whatToDo: 'Read the diagnostic: it starts with the cause, and says what to install or to allow. Then retry.',
  },
  delivery_target_unknown: {
    raisedBy: ['plan', 'gateway'],
    retryable: {
      dependsOn:
        'when it is found. The plan refuses the message. A delivery that was accepted earlier can be retried once the installation offers the profile again.',
    },
    when: 'This installation no longer offers the profile of the agent.',
    whatToDo: 'Give the agent another target, or ask the operator to offer the profile again.',
  },
};
