/** State machine of a sign-in at an outside provider: its statuses and its table of transitions. */

export const statuses = ['connected', 'expired', 'revoked', 'error'] as const
export type Status = (typeof statuses)[number]

/** A tool without a credential has no status and reads as `not-connected`. */
export const connectionStates = ['not-connected', ...statuses] as const
export type ConnectionState = (typeof connectionStates)[number]

/** A person causes the first and the last; the others come from a use of the credential. */
export const triggers = [
  'granted',
  'refreshFailed',
  'grantRejected',
  'callFailed',
  'callSucceeded',
  'disconnected',
] as const
export type Trigger = (typeof triggers)[number]

interface Transition {
  readonly from: readonly ConnectionState[]
  readonly on: Trigger
  readonly to: ConnectionState
}

export const transitions: readonly Transition[] = [
  { from: connectionStates, on: 'granted', to: 'connected' },
  { from: ['connected'], on: 'refreshFailed', to: 'expired' },
  { from: ['connected'], on: 'grantRejected', to: 'revoked' },
  { from: statuses, on: 'callFailed', to: 'error' },
  { from: ['error'], on: 'callSucceeded', to: 'connected' },
  { from: statuses, on: 'disconnected', to: 'not-connected' },
]

/** Undefined when the table has no such transition. */
export function nextState(from: ConnectionState, on: Trigger): ConnectionState | undefined {
  return transitions.find((transition) => transition.from.includes(from) && transition.on === on)?.to
}

/** Whether the provider is worth asking; only a person can renew a credential that has expired or was revoked. */
export function isUsable(status: Status): boolean {
  return status === 'connected' || status === 'error'
}

/** What operators read about a credential that does not work; none of it comes from a provider. */
export const failures = {
  notRenewed: 'The provider no longer renews the sign-in. Connect again.',
  nothingToRenew: 'The sign-in ran out and the provider gave nothing to renew it with. Connect again.',
  stillRefused: 'The provider refuses the sign-in although it was just renewed. Connect again.',
  unreadable: 'What was kept of the sign-in cannot be read. Connect again.',
  unreachable: 'The provider could not be reached to renew the sign-in.',
  misunderstood: 'The provider refused to renew the sign-in for a reason that is not about the sign-in itself.',
} as const
