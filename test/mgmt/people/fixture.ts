/** An agent's people in memory: commands decided and queries read one after another, without a node. */
import { randomBytes } from 'node:crypto'
import { emptyDocument } from '../../../core/agent/index.js'
import type { AgentRef } from '../../../core/agentref.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { agentTable } from '../../../mgmt/agents/store.js'
import { createPeople, type People } from '../../../mgmt/people/index.js'
import type { PersonListener } from '../../../mgmt/people/people.js'
import type { Command, CommandMeta, Query, Timer, Tx } from '../../../runtime/shard/contract.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { type AgentStub, agentOf, createAgentStub } from '../agentstub.js'

export const agentRef: AgentRef = { orgId: 'demo', agentId: 'ada' }

export interface PeopleFixture {
  readonly people: People
  readonly agents: AgentStub
  readonly tx: Tx
  /** Events for the org, and the timers that are set. */
  readonly events: OrgEventPayload[]
  readonly timers: Map<string, Timer>
  /** The incarnation of the agent; undefined while it is deleted. */
  incarnation: number | undefined
  meta(at?: number): CommandMeta
  decide<I, R>(command: Command<I, R>, input: I, at?: number): R
  refusal<I, R>(command: Command<I, R>, input: I): Refusal
  read<I, R>(query: Query<I, R>, input: I): R
}

export function createPeopleFixture(listeners: readonly PersonListener[] = []): PeopleFixture {
  const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const events: OrgEventPayload[] = []
  const timers = new Map<string, Timer>()
  const tx: Tx = Object.assign(root, {
    emit: () => undefined,
    send: (_owner: string, _command: unknown, input: unknown) => void events.push(input as OrgEventPayload),
    schedule: (timer: Timer) => void timers.set(timer.name, timer),
    unschedule: (name: string) => void timers.delete(name),
  })
  tx.put(agentTable, [agentRef.orgId, agentRef.agentId], agentOf(agentRef))
  const agents = createAgentStub(() => emptyDocument)
  const people = createPeople({ orgEvent, agents, conversations: undefined as never, randomBytes })
  for (const listener of listeners) people.onChanged(listener)
  let minted = 0
  const meta = (at = 1_000): CommandMeta => ({
    commandId: 'c',
    at,
    mint: (prefix) => `${prefix}_${String(++minted).padStart(26, '0')}`,
  })
  const fixture: PeopleFixture = {
    people,
    agents,
    tx,
    events,
    timers,
    get incarnation() {
      return tx.get(agentTable, [agentRef.orgId, agentRef.agentId])?.incarnation
    },
    set incarnation(incarnation) {
      if (incarnation === undefined) tx.remove(agentTable, [agentRef.orgId, agentRef.agentId])
      else tx.put(agentTable, [agentRef.orgId, agentRef.agentId], agentOf(agentRef, incarnation))
    },
    meta,
    decide: (command, input, at) => unwrap(command.decide(tx, input, meta(at))),
    refusal(command, input) {
      const answer = command.decide(tx, input, meta())
      if (!isRefusal(answer)) throw new Error(`${command.name} was not refused`)
      return answer
    },
    read: (query, input) => unwrap(query.read(tx, input)),
  }
  return fixture
}

function unwrap<R>(answer: R | Refusal): R {
  if (isRefusal(answer)) throw new Error(answer.detail ?? answer.refused)
  return answer
}
