/** The command of `actors`: the least that creates an actor, one record and one effect. */
import type { Command, Handlers } from '../../../runtime/shard/contract.js'
import { table } from '../../../runtime/store/contract.js'

interface State {
  readonly times: number
  readonly at: number
}
export const stateTable = table<[owner: string], State>('bench.actor')

export const touch: Command<{ owner: string }, number> = {
  name: 'bench.touch',
  decide(tx, { owner }, { at }) {
    const times = (tx.get(stateTable, [owner])?.times ?? 0) + 1
    tx.put(stateTable, [owner], { times, at })
    tx.emit({ kind: 'bench.touched', payload: times })
    return times
  },
}

export const benchModule: Handlers = {
  commands: [touch as never],
  queries: [],
  effectHandlers: () => ({ 'bench.touched': async () => {} }),
}
