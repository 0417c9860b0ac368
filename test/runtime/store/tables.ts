/** The tables that a test and the process it watches share, and how both write. */
import { type Space, table, type Write } from '../../../runtime/store/contract.js'

interface Half {
  readonly n: number
  readonly text: string
}

/** Written in pairs, each pair in one commit: a half without its other is a commit that was torn. */
export const left = table<[writer: number, n: number], Half>('left')
export const right = table<[writer: number, n: number], Half>('right')

export function commit(space: Space, writes: readonly Write[]): Promise<void> {
  return space.commit(space.encode(writes))
}
