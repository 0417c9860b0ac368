/**
 * Checks after the faults that every send ended once, consistent with its callers' answers and with the provider's
 * record.
 */
import { finalStates } from '../../core/outreach/send.js'
import type { FaultNode } from './faultnode.js'
import type { Verdict } from './judge.js'
import type { SeenSend, SendAgent } from './sends-agent.js'
import { isIncapable } from './sends-provider.js'
import { type Arrival, accepted, type SendRecord, sendIdOf, type Wanted } from './sends-record.js'
import { waitUntil } from './timeout.js'

export interface SendTrial {
  readonly faultNodes: readonly FaultNode[]
  readonly agent: SendAgent
  readonly record: SendRecord
}

export interface SendVerdict extends Verdict {
  readonly notes: readonly string[]
}

type AddFinding = (kind: 'missing' | 'doubled' | undefined, sentence: string) => void

const mostAttempts = 4
const toldProblems = 50
const isFinal = (state: string) => (finalStates as readonly string[]).includes(state)

/** Every acknowledged send is there at each read, and an ended one stays as it ended. */
export async function looked({ faultNodes, agent, record }: SendTrial, wanted: Wanted): Promise<SeenSend | undefined> {
  const faultNode = faultNodes[record.moment() % faultNodes.length]!
  const seen = await agent.read(faultNode, sendIdOf(wanted)!)
  if (seen === undefined) return undefined
  if (seen === 'nowhere') {
    record.wrongs.push(`${faultNode.name} does not know ${wanted.ref}, which was accepted`)
    return undefined
  }
  if (wanted.ended !== undefined && seen.state !== wanted.ended) {
    record.wrongs.push(`${wanted.ref} had ended as ${wanted.ended}, and ${faultNode.name} shows it as ${seen.state}`)
  }
  if (isFinal(seen.state)) wanted.ended ??= seen.state
  return seen
}

/** Every accepted send in its final state, once all have one. */
async function ended(trial: SendTrial): Promise<Map<Wanted, SeenSend>> {
  const found = new Map<Wanted, SeenSend>()
  await waitUntil('every accepted send ends', trial.faultNodes, async () => {
    for (const wanted of accepted(trial.record)) {
      const seen = found.has(wanted) ? undefined : await looked(trial, wanted)
      if (seen && isFinal(seen.state)) found.set(wanted, seen)
    }
    return found.size === accepted(trial.record).length
  })
  return found
}

export async function judgeSends(trial: SendTrial): Promise<SendVerdict> {
  const { faultNodes, agent, record } = trial
  const problems: string[] = []
  const count = { missing: 0, doubled: 0 }
  function addFinding(kind: 'missing' | 'doubled' | undefined, sentence: string): void {
    if (kind) count[kind]++
    if (problems.length < toldProblems) problems.push(sentence)
  }

  const sends = await ended(trial)
  for (const wanted of record.wanted) {
    await waitUntil(`${wanted.ref} is answered once more`, faultNodes, async () => {
      const again = await agent.ask(faultNodes[record.moment() % faultNodes.length]!, wanted)
      if (again) wanted.told.push(again)
      return again !== undefined
    })
  }
  const byRef = grouped(record.arrivals, ({ ref }) => ref)
  for (const wanted of record.wanted) {
    const arrivals = byRef.get(wanted.ref) ?? []
    judgeTold(record, wanted, arrivals, addFinding)
    judgeArrivals(wanted, arrivals, addFinding)
    const send = sends.get(wanted)
    if (send) judgeEnd(record, wanted, send, arrivals, addFinding)
  }
  const known = new Set(record.wanted.map(({ ref }) => ref))
  for (const { ref } of record.arrivals)
    if (!known.has(ref)) addFinding(undefined, `nobody wanted ${ref}, which was sent`)
  judgeStops(record, addFinding)
  for (const sentence of record.wrongs) addFinding(undefined, sentence)
  for (const faultNode of faultNodes) for (const sentence of faultNode.surprises()) addFinding(undefined, sentence)
  const printed = new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()]))
  const notes = [
    ...statesOf(sends.values()),
    `${record.stops.size} STOPs`,
    `${record.arrivals.length} calls to the provider`,
  ]
  return { acknowledged: sends.size, unknown: 0, undecided: 0, ...count, tardy: 0, problems, printed, notes }
}

function statesOf(sends: Iterable<SeenSend>): string[] {
  return [...grouped(sends, ({ state }) => state)].map(([state, some]) => `${some.length} ${state}`)
}

function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** One key is one send, and only people who said STOP are refused. */
function judgeTold(
  { stops }: SendRecord,
  { ref, phone, told }: Wanted,
  arrivals: readonly Arrival[],
  addFinding: AddFinding,
): void {
  const ids = new Set(told.flatMap(({ sendId }) => sendId ?? []))
  if (ids.size > 1) addFinding('doubled', `${ref} is ${ids.size} sends: ${[...ids]}`)
  const queued = told.filter(({ outcome }) => outcome === 'queued').length
  if (queued > 1) addFinding('doubled', `${queued} callers were told that ${ref} is new`)
  if (told.some(({ outcome }) => outcome === 'refused') && !stops.has(phone)) {
    addFinding(undefined, `${ref} was refused, and its person never said STOP`)
  }
  if (ids.size === 0 && arrivals.length > 0) addFinding(undefined, `${ref} was refused, and sent`)
}

/** However many attempts it has, a send is one message to its recipient, and none after its cancel. */
function judgeArrivals(wanted: Wanted, arrivals: readonly Arrival[], addFinding: AddFinding): void {
  const { ref, phone, cancelledAt = Infinity } = wanted
  const ids = new Set(arrivals.map(({ id }) => id))
  if (ids.size > 1) addFinding('doubled', `${ref} came to the provider as ${ids.size} messages`)
  if (arrivals.some((each) => each.phone !== phone)) addFinding(undefined, `${ref} was sent to somebody else`)
  if (arrivals.some(({ at }) => at > cancelledAt))
    addFinding(undefined, `${ref} was sent after its cancel was acknowledged`)
}

/** The state is true as far as the provider has reported. */
function judgeEnd(
  record: SendRecord,
  wanted: Wanted,
  send: SeenSend,
  arrivals: readonly Arrival[],
  addFinding: AddFinding,
): void {
  const { ref, phone, cancelledAt } = wanted
  const { state, reason, attempts } = send
  const taken = arrivals.filter(({ isTaken }) => isTaken)
  if (attempts > mostAttempts) addFinding(undefined, `${ref} was tried ${attempts} times`)
  if (cancelledAt !== undefined && state !== 'cancelled') addFinding(undefined, `${ref} was cancelled, and is ${state}`)
  if (state === 'sent') {
    if (taken.length === 0) addFinding('missing', `${ref} is sent, and the provider never took it`)
    return
  }
  if (taken.some((each) => !isAnswerLost(record, each))) {
    addFinding(undefined, `${ref} is ${state} (${reason}), and the provider had said that it took it`)
  }
  if (state === 'cancelled' && attempts === 0 && arrivals.length > 0) {
    addFinding(undefined, `${ref} was cancelled before it was tried, and sent`)
  }
  const isSilenced = record.stops.has(phone)
  const isTrue: Readonly<Record<string, boolean>> = {
    opted_out: isSilenced,
    not_rcs_capable: isIncapable(phone),
    dispatch_failed: arrivals.some((each) => !each.isTaken || isAnswerLost(record, each)),
    // The capability of a number is checked again after a failed attempt, so this reason may end a send that the
    // provider had taken.
    capability_unknown: taken.every((each) => isAnswerLost(record, each)),
  }
  if (state !== 'cancelled' && !isTrue[reason ?? ''])
    addFinding(undefined, `${ref} is ${state} for ${reason}, which is not so`)
}

/** The provider sent no answer, or a fault may have hit the node before it recorded the answer. */
function isAnswerLost({ harms }: SendRecord, { at, isTold }: Arrival): boolean {
  return !isTold || harms.some((harmed) => harmed > at)
}

/** Nothing is sent after the acknowledgement of a STOP, not even by a node that stalled during a call. */
function judgeStops({ stops, arrivals }: SendRecord, addFinding: AddFinding): void {
  for (const { phone, acknowledgedAt = Infinity } of stops.values()) {
    const late = arrivals.filter((each) => each.phone === phone && each.at > acknowledgedAt)
    if (late.length > 0)
      addFinding(undefined, `${late.map(({ ref }) => ref)} came to somebody whose STOP was acknowledged`)
  }
}
