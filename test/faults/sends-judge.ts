/**
 * Checks after the faults that every send ended once, consistent with its callers' answers and with the provider's
 * record.
 */
import { finalStates } from '../../core/outreach/send.js'
import type { FaultNode } from './faultnode.js'
import type { Verdict } from './judge.js'
import type { SeenSend, SendAgent } from './sends-agent.js'
import { isIncapable } from './sends-provider.js'
import { type Arrival, acceptedRequests, type SendRecord, type SendRequest, sendIdOf } from './sends-record.js'
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

const maxAttempts = 4
const maxProblems = 50
const isFinal = (state: string) => (finalStates as readonly string[]).includes(state)

/** Every acknowledged send is there at each read, and an ended one stays as it ended. */
export async function readSend(
  { faultNodes, agent, record }: SendTrial,
  request: SendRequest,
): Promise<SeenSend | undefined> {
  const faultNode = faultNodes[record.moment() % faultNodes.length]!
  const seen = await agent.read(faultNode, sendIdOf(request)!)
  if (seen === undefined) return undefined
  if (seen === 'nowhere') {
    record.violations.push(`${faultNode.name} does not know ${request.ref}, which was accepted`)
    return undefined
  }
  if (request.ended !== undefined && seen.state !== request.ended) {
    record.violations.push(
      `${request.ref} had ended as ${request.ended}, and ${faultNode.name} shows it as ${seen.state}`,
    )
  }
  if (isFinal(seen.state)) request.ended ??= seen.state
  return seen
}

/** Every accepted send in its final state, once all have one. */
async function waitForFinalStates(trial: SendTrial): Promise<Map<SendRequest, SeenSend>> {
  const finals = new Map<SendRequest, SeenSend>()
  await waitUntil('every accepted send ends', trial.faultNodes, async () => {
    for (const request of acceptedRequests(trial.record)) {
      const seen = finals.has(request) ? undefined : await readSend(trial, request)
      if (seen && isFinal(seen.state)) finals.set(request, seen)
    }
    return finals.size === acceptedRequests(trial.record).length
  })
  return finals
}

export async function judgeSends(trial: SendTrial): Promise<SendVerdict> {
  const { faultNodes, agent, record } = trial
  const problems: string[] = []
  const count = { missing: 0, doubled: 0 }
  function addFinding(kind: 'missing' | 'doubled' | undefined, sentence: string): void {
    if (kind) count[kind]++
    if (problems.length < maxProblems) problems.push(sentence)
  }

  const sends = await waitForFinalStates(trial)
  for (const request of record.requests) {
    await waitUntil(`${request.ref} is answered once more`, faultNodes, async () => {
      const repeated = await agent.requestSend(faultNodes[record.moment() % faultNodes.length]!, request)
      if (repeated) request.answers.push(repeated)
      return repeated !== undefined
    })
  }
  const byRef = groupBy(record.arrivals, ({ ref }) => ref)
  for (const request of record.requests) {
    const arrivals = byRef.get(request.ref) ?? []
    judgeAnswers(record, request, arrivals, addFinding)
    judgeArrivals(request, arrivals, addFinding)
    const send = sends.get(request)
    if (send) judgeEnd(record, request, send, arrivals, addFinding)
  }
  const refs = new Set(record.requests.map(({ ref }) => ref))
  for (const { ref } of record.arrivals)
    if (!refs.has(ref)) addFinding(undefined, `nobody wanted ${ref}, which was sent`)
  judgeStops(record, addFinding)
  for (const sentence of record.violations) addFinding(undefined, sentence)
  for (const faultNode of faultNodes) for (const sentence of faultNode.surprises()) addFinding(undefined, sentence)
  const printed = new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()]))
  const notes = [
    ...statesOf(sends.values()),
    `${record.stops.size} STOPs`,
    `${record.arrivals.length} calls to the provider`,
  ]
  return { acknowledged: sends.size, unknown: 0, undecided: 0, ...count, late: 0, problems, printed, notes }
}

function statesOf(sends: Iterable<SeenSend>): string[] {
  return [...groupBy(sends, ({ state }) => state)].map(([state, some]) => `${some.length} ${state}`)
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
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
function judgeAnswers(
  { stops }: SendRecord,
  { ref, phone, answers }: SendRequest,
  arrivals: readonly Arrival[],
  addFinding: AddFinding,
): void {
  const ids = new Set(answers.flatMap(({ sendId }) => sendId ?? []))
  if (ids.size > 1) addFinding('doubled', `${ref} is ${ids.size} sends: ${[...ids]}`)
  const queued = answers.filter(({ outcome }) => outcome === 'queued').length
  if (queued > 1) addFinding('doubled', `${queued} callers were told that ${ref} is new`)
  if (answers.some(({ outcome }) => outcome === 'refused') && !stops.has(phone)) {
    addFinding(undefined, `${ref} was refused, and its person never said STOP`)
  }
  if (ids.size === 0 && arrivals.length > 0) addFinding(undefined, `${ref} was refused, and sent`)
}

/** However many attempts it has, a send is one message to its recipient, and none after its cancel. */
function judgeArrivals(request: SendRequest, arrivals: readonly Arrival[], addFinding: AddFinding): void {
  const { ref, phone, cancelledAt = Infinity } = request
  const ids = new Set(arrivals.map(({ id }) => id))
  if (ids.size > 1) addFinding('doubled', `${ref} came to the provider as ${ids.size} messages`)
  if (arrivals.some((each) => each.phone !== phone)) addFinding(undefined, `${ref} was sent to somebody else`)
  if (arrivals.some(({ at }) => at > cancelledAt))
    addFinding(undefined, `${ref} was sent after its cancel was acknowledged`)
}

/** The state is true as far as the provider has reported. */
function judgeEnd(
  record: SendRecord,
  request: SendRequest,
  send: SeenSend,
  arrivals: readonly Arrival[],
  addFinding: AddFinding,
): void {
  const { ref, phone, cancelledAt } = request
  const { state, reason, attempts } = send
  const acceptedArrivals = arrivals.filter(({ isAccepted }) => isAccepted)
  if (attempts > maxAttempts) addFinding(undefined, `${ref} was tried ${attempts} times`)
  if (cancelledAt !== undefined && state !== 'cancelled') addFinding(undefined, `${ref} was cancelled, and is ${state}`)
  if (state === 'sent') {
    if (acceptedArrivals.length === 0) addFinding('missing', `${ref} is sent, and the provider never took it`)
    return
  }
  if (acceptedArrivals.some((each) => !isAnswerLost(record, each))) {
    addFinding(undefined, `${ref} is ${state} (${reason}), and the provider had said that it took it`)
  }
  if (state === 'cancelled' && attempts === 0 && arrivals.length > 0) {
    addFinding(undefined, `${ref} was cancelled before it was tried, and sent`)
  }
  const isSilenced = record.stops.has(phone)
  const isTrue: Readonly<Record<string, boolean>> = {
    opted_out: isSilenced,
    not_rcs_capable: isIncapable(phone),
    dispatch_failed: arrivals.some((each) => !each.isAccepted || isAnswerLost(record, each)),
    // The capability of a number is checked again after a failed attempt, so this reason may end a send that the
    // provider had taken.
    capability_unknown: acceptedArrivals.every((each) => isAnswerLost(record, each)),
  }
  if (state !== 'cancelled' && !isTrue[reason ?? ''])
    addFinding(undefined, `${ref} is ${state} for ${reason}, which is not so`)
}

/** The provider sent no answer, or a fault may have hit the node before it recorded the answer. */
function isAnswerLost({ harms }: SendRecord, { at, isAnswered }: Arrival): boolean {
  return !isAnswered || harms.some((harmed) => harmed > at)
}

/** Nothing is sent after the acknowledgement of a STOP, not even by a node that stalled during a call. */
function judgeStops({ stops, arrivals }: SendRecord, addFinding: AddFinding): void {
  for (const { phone, acknowledgedAt = Infinity } of stops.values()) {
    const late = arrivals.filter((each) => each.phone === phone && each.at > acknowledgedAt)
    if (late.length > 0)
      addFinding(undefined, `${late.map(({ ref }) => ref)} came to somebody whose STOP was acknowledged`)
  }
}
