/** The life of a sign-in at an outside provider: its statuses and the one table of moves between them. */

export const statuses = ['connected', 'expired', 'revoked', 'error'] as const
export type Status = (typeof statuses)[number]

/** Where there is no credential there is no status; a tool then reads as this word. */
export const connectionStates = ['not-connected', ...statuses] as const
export type ConnectionState = (typeof connectionStates)[number]

/** The first and the last are a person's doing, the others are found out when the credential is put to use. */
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

/** Undefined when the table has no such move. */
export function next(from: ConnectionState, on: Trigger): ConnectionState | undefined {
  return transitions.find((transition) => transition.from.includes(from) && transition.on === on)?.to
}

/** Whether it is worth asking the provider at all; what has run out or was taken back only a person can renew. */
export function isUsable(status: Status): boolean {
  return status === 'connected' || status === 'error'
}

/** What operators read of a credential that does not work; nothing in here comes from a provider. */
export const failures = {
  notRenewed: 'The provider no longer renews the sign-in. Connect again.',
  nothingToRenew: 'The sign-in ran out and the provider gave nothing to renew it with. Connect again.',
  stillRefused: 'The provider refuses the sign-in although it was just renewed. Connect again.',
  unreadable: 'What was kept of the sign-in cannot be read. Connect again.',
  unreachable: 'The provider could not be reached to renew the sign-in.',
  misunderstood: 'The provider refused to renew the sign-in for a reason that is not about the sign-in itself.',
} as const
