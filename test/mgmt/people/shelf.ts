/** An agent's people in memory: commands decided and queries read one after another, without a node. */
import { randomBytes } from 'node:crypto'
import { emptyDocument } from '../../../core/agent/index.js'
import type { AgentPlace } from '../../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import { createPeople, type People } from '../../../mgmt/people/index.js'
import type { PersonListener } from '../../../mgmt/people/people.js'
import type { Command, Query, Timer, Told, Tx } from '../../../runtime/shard/contract.js'
import { layerOver } from '../../../runtime/shard/layer.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { type AgentsBefore, agentOf, agentsBefore } from '../areas.js'

export const place: AgentPlace = { orgId: 'demo', agentId: 'ada' }

export interface Shelf {
  readonly people: People
  readonly agents: AgentsBefore
  readonly tx: Tx
  /** What the org was told, and the timers that are set. */
  readonly events: OrgEventPayload[]
  readonly timers: Map<string, Timer>
  /** The serial of the agent; none while it is gone. */
  serial: number | undefined
  told(at?: number): Told
  decide<I, R>(command: Command<I, R>, input: I, at?: number): R
  refusal<I, R>(command: Command<I, R>, input: I): Refusal
  read<I, R>(query: Query<I, R>, input: I): R
}

export function openShelf(listeners: readonly PersonListener[] = []): Shelf {
  const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }
  const root = layerOver({ get: () => undefined, range: () => [], encode: encodeWrites })
  const events: OrgEventPayload[] = []
  const timers = new Map<string, Timer>()
  const tx: Tx = Object.assign(root, {
    effect: () => undefined,
    tell: (_owner: string, _command: unknown, input: unknown) => void events.push(input as OrgEventPayload),
    schedule: (timer: Timer) => void timers.set(timer.name, timer),
    unschedule: (name: string) => void timers.delete(name),
  })
  tx.put(agentTable, [place.orgId, place.agentId], agentOf(place))
  const agents = agentsBefore(() => emptyDocument)
  const people = createPeople({ orgEvent, agents, conversations: undefined as never, randomBytes })
  for (const listener of listeners) people.onChanged(listener)
  let minted = 0
  const told = (at = 1_000): Told => ({
    commandId: 'c',
    at,
    mint: (prefix) => `${prefix}_${String(++minted).padStart(26, '0')}`,
  })
  const shelf: Shelf = {
    people,
    agents,
    tx,
    events,
    timers,
    get serial() {
      return tx.get(agentTable, [place.orgId, place.agentId])?.serial
    },
    set serial(serial) {
      if (serial === undefined) tx.remove(agentTable, [place.orgId, place.agentId])
      else tx.put(agentTable, [place.orgId, place.agentId], agentOf(place, serial))
    },
    told,
    decide: (command, input, at) => good(command.decide(tx, input, told(at))),
    refusal(command, input) {
      const answer = command.decide(tx, input, told())
      if (!isRefusal(answer)) throw new Error(`${command.name} was not refused`)
      return answer
    },
    read: (query, input) => good(query.read(tx, input)),
  }
  return shelf
}

function good<R>(answer: R | Refusal): R {
  if (isRefusal(answer)) throw new Error(answer.detail ?? answer.refused)
  return answer
}
