/** The life of a channel binding: its statuses and the one table of moves between them. */

export const statuses = ['Requested', 'Provisioning', 'ActionRequired', 'Active', 'Failed', 'Disabled'] as const
export type Status = (typeof statuses)[number]

/** The first four are the provisioner's, the others the operator's. */
export const triggers = ['takenUp', 'completed', 'blocked', 'failed', 'supplied', 'disabled', 'enabled'] as const
export type Trigger = (typeof triggers)[number]

interface Move {
  readonly from: readonly Status[]
  readonly on: Trigger
  readonly to: Status
}

export const moves: readonly Move[] = [
  { from: ['Requested'], on: 'takenUp', to: 'Provisioning' },
  { from: ['Provisioning'], on: 'completed', to: 'Active' },
  { from: ['Requested', 'Provisioning', 'Active'], on: 'blocked', to: 'ActionRequired' },
  { from: ['Requested', 'Provisioning', 'Active'], on: 'failed', to: 'Failed' },
  { from: ['ActionRequired'], on: 'supplied', to: 'Provisioning' },
  { from: ['Active'], on: 'disabled', to: 'Disabled' },
  { from: ['Disabled'], on: 'enabled', to: 'Active' },
]

/** Undefined when the table has no such move. */
export function walk(from: Status, on: Trigger): Status | undefined {
  return moves.find((move) => move.from.includes(from) && move.on === on)?.to
}
