/** Judges a trial of turns: by the records, by what was sent, and by what the tools saw. */
import type { TurnAgent } from './turns-agent.js'
import type { TurnEndpoints } from './turns-endpoints.js'
import { type Failpoint, toolOf } from './turns-failpoints.js'
import type { Harm, TrialResult } from './turns-trial.js'

export interface TurnVerdict {
  /** Texts that no record has. */
  missing: number
  /** Texts, requests and effects that are there twice. */
  doubled: number
  readonly problems: string[]
}

/** As often as a call may be made whose tool says that a repeat is harmless: in a life of the process. */
const repeats = 3

export async function judgeTrial(
  agent: TurnAgent,
  endpoints: Pick<TurnEndpoints, 'requests'>,
  failpoint: Failpoint,
  { userId, texts, turn }: TrialResult,
  harm: Harm,
): Promise<TurnVerdict> {
  const verdict: TurnVerdict = { missing: 0, doubled: 0, problems: [] }
  const add = (sentence: string) => verdict.problems.push(`${failpoint.name}, ${harm}: ${sentence}`)
  const turns = await agent.turns(userId)

  for (const text of texts) {
    const times = turns.filter(({ trigger }) => trigger.text?.split('\n').includes(text)).length
    if (times === 0) verdict.missing++
    if (times > 1) verdict.doubled++
    if (times !== 1) add(`"${text}" is in ${times} records`)
  }
  for (const [nth, { id, state, endedBy, startedAt, endedAt, messages, trigger }] of turns.entries()) {
    const before = turns[nth - 1]
    if (before && (before.endedAt ?? '') > startedAt) add(`${id} began before ${before.id} had ended`)
    if (endedAt === undefined) add(`${id} has not ended`)
    if (state === 'cut' && endedBy === undefined) add(`${id} was cut for no reason`)
    if (state === 'completed' && trigger.kind === 'message' && messages.length === 0) add(`${id} said nothing`)
  }
  const accepted = await agent.answers(userId)
  const named = turns.flatMap(({ messages }) => messages)
  for (const id of named) if (!accepted.includes(id)) add(`${id} is in a record and was never sent`)
  for (const id of accepted) if (!named.includes(id)) add(`${id} was sent and is in no record`)
  const settled = await agent.settled(userId)
  for (const id of new Set(settled)) {
    const times = settled.filter((each) => each === id).length
    if (times > 1) verdict.doubled++
    if (times > 1) add(`${id} was delivered ${times} times`)
  }
  if (new Set(named).size !== named.length) add('a message is in two records')

  const { call, flow, meanwhile } = failpoint
  const [made, ...others] = turn.toolCalls
  if (others.length > 0) add(`${turn.id} has ${turn.toolCalls.length} calls`)
  if (call && !call[harm].includes(made?.state ?? 'none')) add(`the call of ${turn.id} is ${made?.state} in its record`)
  const tool = toolOf[flow]
  const requests = tool ? endpoints.requests.filter(({ key }) => key === made?.key).length : 0
  if (requests > (tool === 'charge' ? repeats : 1)) {
    verdict.doubled++
    add(`${tool} had ${requests} requests for ${made?.key}`)
  }
  if (tool && made?.state === 'ok' && requests === 0) add(`${made.key} is ok, and ${tool} had no request for it`)
  if (meanwhile === 'stop' && turn.endedBy !== 'stopped') add(`${turn.id} is ${turn.state} although a STOP came`)
  if (flow === 'appointment') {
    const personId = turns.findLast((each) => each.personId !== undefined)?.personId
    const count = personId === undefined ? 0 : await agent.countAppointments(personId)
    if (count > 1) verdict.doubled++
    if (count !== 1) add(`${count} appointments were booked`)
  }
  return verdict
}
