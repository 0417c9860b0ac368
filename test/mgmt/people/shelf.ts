/** An agent's people in memory: commands decided and queries read one after another, without a node. */
import type { AgentPlace } from '../../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { type OpenPeople, openPeople } from '../../../mgmt/people/commands.js'
import type { PersonListener } from '../../../mgmt/people/door.js'
import type { Command, Query, Timer, Told, Tx } from '../../../runtime/shard/contract.js'
import { layerOver } from '../../../runtime/shard/layer.js'
import { encodeWrites } from '../../../runtime/store/space.js'

export const place: AgentPlace = { orgId: 'demo', agentId: 'ada' }

export interface Shelf {
  readonly people: OpenPeople
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
  const agentOf = () => (shelf.serial === undefined ? undefined : { serial: shelf.serial })
  const root = layerOver({ get: () => undefined, range: () => [], encode: encodeWrites })
  const events: OrgEventPayload[] = []
  const timers = new Map<string, Timer>()
  const tx: Tx = Object.assign(root, {
    effect: () => undefined,
    tell: (_owner: string, _command: unknown, input: unknown) => void events.push(input as OrgEventPayload),
    schedule: (timer: Timer) => void timers.set(timer.name, timer),
    unschedule: (name: string) => void timers.delete(name),
  })
  let minted = 0
  const told = (at = 1_000): Told => ({
    commandId: 'c',
    at,
    mint: (prefix) => `${prefix}_${String(++minted).padStart(26, '0')}`,
  })
  const shelf: Shelf = {
    people: openPeople({ orgEvent, agentOf, listeners }),
    tx,
    events,
    timers,
    serial: 1,
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
