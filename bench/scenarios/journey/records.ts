/** A node's records of one step of a journey: one commit, with the same keys and values. */
import type { RecordKey } from '../store/keys.js'
import { instanceOf, outreachId, step } from './fixtures.js'

export type RecordWrite = readonly [key: RecordKey, value: object | string | true]

/** The parts of a call that its records hold. */
export interface JourneyBody {
  readonly profile: { phone: string; firstName: string; lastName: string; email: string }
  readonly inputs: Readonly<Record<string, string>>
  readonly journey: { versionId: string; nodeId: string; instanceId: string }
}

const scope: RecordKey = ['demo', 'bench-shop', 1]
const idOf = (prefix: string, sequence: number) => `${prefix}_${String(sequence).padStart(26, '0')}`

export function recordsOf(body: JourneyBody, sequence: number, at: number): readonly RecordWrite[] {
  const { profile, inputs, journey } = body
  const { phone, firstName, lastName, email } = profile
  const personId = idOf('pr', sequence)
  const sendId = idOf('sd', sequence)
  const asid = idOf('usr', sequence)
  const channel = 'rcs'
  const key = `journey:${journey.versionId}:${journey.nodeId}:${journey.instanceId}:${outreachId}`
  const dueAt = at + 60_000
  const person = {
    id: personId,
    status: 'new',
    source: 'journey',
    consent: { status: 'unknown' },
    identities: [{ asid, channel, address: phone }],
    createdAt: at,
    updatedAt: at,
    firstName,
    lastName,
    email,
    phone,
    customFields: inputs,
  }
  const consent = { claimed: 'yes', recorded: 'new', evidence: "The journey's consent.sms was y." }
  const send = {
    outreachId,
    origin: 'named',
    personId,
    state: 'queued',
    asid,
    channel,
    address: phone,
    queuedAt: at,
    attempts: 0,
    consent,
    inputs,
    key,
    dueAt,
  }
  const data = { sendId, outreachId, origin: 'named' }
  const logEntry = { level: 'info', event: 'outreach.accepted', channel, data }
  return [
    [['people', ...scope, personId], person],
    [['people.asids', ...scope, asid], personId],
    [['people.index', ...scope, 'phone', phone, personId], true],
    [['people.index', ...scope, 'email', email, personId], true],
    [['people.index', ...scope, 'address', phone, personId], true],
    [['people.numbers', ...scope, phone], true],
    [['outreach.sends', ...scope, sendId], send],
    [['outreach.keys', ...scope, 'given', key], sendId],
    [['outreach.queue', ...scope, dueAt, sendId], 'send'],
    [['outreach.index', ...scope, 'person', personId, sendId], true],
    [['agentlog.own', ...scope.slice(0, 2), at, asid, -1], logEntry],
  ]
}

/** The answer of a node, so that as many bytes are written to the socket. */
export function answerTo(sequence: number): string {
  const ids = { sendId: idOf('sd', sequence), personId: idOf('pr', sequence) }
  return JSON.stringify({
    outcome: 'queued',
    reason: '',
    detail: '',
    ...ids,
    unknownInputs: [],
    idempotency: 'journey',
  })
}

/** A request body, for the count of bytes written per call. */
export const example: JourneyBody = {
  profile: { phone: '+12000000002', firstName: 'Ada', lastName: 'Lovelace 2', email: 'ada.2@example.com' },
  inputs: { plan: 'Household 500', renewsOn: '1 December' },
  journey: { ...step, instanceId: instanceOf(2) },
}
