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
        'whether trying again can help: not where a file that the provider refused in an earlier turn goes out again with every turn of its conversation, as some programs send it.',
    },
    when: 'The agent closed its output and did not end, or it answered a message without attachments with an error of its own. Also where the delivery failed on our side; where its bus message was given up, the failure names the dead letter.',
    whatToDo:
      'Read the diagnostic, then retry. Where it is not retryable, continue with another agent or in a new session. If it stays, report the trace id. The operator retries all that died in an incident with attache dead replay --all.',
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
    when: 'The program of the agent is not installed, ended or answered with an error before its session was open, did not answer in time, or speaks another version of its protocol. Also where this installation has no driver for the runtime of the profile, or the profile denies its program tools that nothing is known to switch off.',
    whatToDo:
      'Check that the command of the profile is installed and runs by hand, and what attache doctor says of the profile, then retry.',
  },
  delivery_agent_auth_required: {
    ...ofDriver,
    raisedBy: ['gateway', 'driver'],
    when: 'A key that the profile names is missing, empty or cannot be opened, so that the agent is not started or its turn ends; or the agent, or its provider through it, says that it is not signed in.',
    whatToDo:
      'Give the profile a key or a home that is signed in, then retry. Where it takes a secret of the tenant, save that.',
  },
  delivery_agent_crashed: {
    ...ofDriver,
    when: 'The program of the agent ended before it answered.',
    whatToDo: 'Read the diagnostic, which has its last words, then retry.',
  },
  delivery_protocol_error: {
    ...ofDriver,
    when: 'The program of the agent broke its protocol and was stopped, or it did not understand a request of it.',
    whatToDo: 'Check the version of the program, then retry.',
  },
  delivery_turn_timeout: {
    ...ofDriver,
    when: 'The agent did not end its turn in the time that its profile gives it. It was asked to stop, then stopped.',
    whatToDo: 'Retry, or raise the time of a turn in the profile.',
  },
  delivery_stalled: {
    ...ofDriver,
    when: 'The agent stopped reading while the message was being written, and was stopped.',
    whatToDo: 'Look at what the agent did, then retry.',
  },
  delivery_outcome_unknown: {
    raisedBy: ['gateway'],
    retryable: 'yes',
    when: 'The gateway ended while the message was on its way, and nothing proves whether the agent got it. It is never sent again by itself.',
    whatToDo: 'Look at what the agent did. Retry only if it may get the message twice.',
  },
  delivery_cancelled: {
    raisedBy: ['gateway', 'driver'],
    retryable: {
      dependsOn: 'how the delivery ended: one that failed with it can be retried, one that is cancelled cannot.',
    },
    when: 'Someone cancelled the delivery, its session ended or its agent was removed before it was written, or the agent was stopped amid the turn.',
    whatToDo: 'Retry a failed delivery; send the message again where it is cancelled.',
  },
  delivery_sandbox_unavailable: {
    ...ofDriver,
    when: 'The agent runs in a sandbox, by its profile or by its stack, and bubblewrap does not work on the machine of the gateway. Nothing was started.',
    whatToDo: 'Read the diagnostic: it begins with the cause, and says what to install or to allow. Then retry.',
  },
  delivery_target_unknown: {
    raisedBy: ['plan', 'gateway'],
    retryable: {
      dependsOn:
        'when it is found: the plan refuses the message; a delivery that was accepted before can be retried once the profile is offered again.',
    },
    when: 'The profile of the agent is no longer offered by this installation.',
    whatToDo: 'Give the agent another target, or have the operator offer the profile again.',
  },
};
