/** State machine of a channel binding: its statuses and the table of transitions. */

export const statuses = ['Requested', 'Provisioning', 'ActionRequired', 'Active', 'Failed', 'Disabled'] as const
export type Status = (typeof statuses)[number]

/** The first four are of the provisioner, the others of the operator. */
export const triggers = ['started', 'completed', 'blocked', 'failed', 'supplied', 'disabled', 'enabled'] as const
export type Trigger = (typeof triggers)[number]

interface Transition {
  readonly from: readonly Status[]
  readonly on: Trigger
  readonly to: Status
}

export const transitions: readonly Transition[] = [
  { from: ['Requested'], on: 'started', to: 'Provisioning' },
  { from: ['Provisioning'], on: 'completed', to: 'Active' },
  { from: ['Requested', 'Provisioning', 'Active'], on: 'blocked', to: 'ActionRequired' },
  { from: ['Requested', 'Provisioning', 'Active'], on: 'failed', to: 'Failed' },
  { from: ['ActionRequired'], on: 'supplied', to: 'Provisioning' },
  { from: ['Active'], on: 'disabled', to: 'Disabled' },
  { from: ['Disabled'], on: 'enabled', to: 'Active' },
]

/** Undefined when the table has no such transition. */
export function next(from: Status, on: Trigger): Status | undefined {
  return transitions.find((transition) => transition.from.includes(from) && transition.on === on)?.to
}
