/** What a journey is answered, the keys that make two calls one send, and the action made for its platform. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal, refuse } from '../../../core/errors.js'
import { actionDefinition } from '../../../core/journey/definition.js'
import { idempotencyKeyOf } from '../../../core/journey/key.js'
import { readJourneyCall } from '../../../core/journey/request.js'
import { journeyStatusOf, responseOf, responseOfRefusal } from '../../../core/journey/response.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import type { Send } from '../../../core/outreach/send.js'

const key = { key: 'k', idempotency: 'journey' } as const
const at = Date.UTC(2026, 10, 15, 23, 59)
const hash = (text: string) => `#${text.length}`

t.test('A reply has every member in every case', async (t) => {
  t.same(responseOf({ status: 'queued', sendId: 's', personId: 'p', unknownInputs: ['x'] }, key), {
    outcome: 'queued',
    reason: '',
    detail: '',
    sendId: 's',
    personId: 'p',
    unknownInputs: ['x'],
    idempotency: 'journey',
  })
  t.match(responseOf({ status: 'skipped', unknownInputs: [] }, key), { outcome: 'skipped', sendId: '', personId: '' })
})

t.test('A business refusal is a reply with its reason', async (t) => {
  const reasons = [
    ['agent.outreach.opted_out', 'opted_out'],
    ['agent.outreach.consent_declined', 'declined'],
    ['agent.outreach.consent_denied', 'consent_denied'],
    ['agent.outreach.missing_inputs', 'missing_inputs'],
  ] as const
  for (const [code, reason] of reasons) {
    t.match(responseOfRefusal(refuse(code), key), { outcome: 'refused', reason, sendId: '', personId: '' })
  }
  const missing = refuse('agent.outreach.missing_inputs', { errors: [{ field: 'inputs.city', message: 'is missing' }] })
  t.match(responseOfRefusal(missing, key), { detail: 'inputs.city: is missing' })
})

t.test('A faulty call is 400 and names its field; a missing outreach is 404', async (t) => {
  const mistakes = [
    ['agent.outreach.recipient_not_found', 'emulator.personaId'],
    ['agent.outreach.invalid_address', 'profile.phone'],
    ['agent.outreach.channel_unavailable', 'profile.channel'],
  ] as const
  for (const [code, field] of mistakes) {
    t.match(responseOfRefusal(refuse(code), key), { refused: 'request.invalid', status: 400, errors: [{ field }] })
  }
  t.match(responseOfRefusal(refuse('agent.outreach.not_found'), key), {
    refused: 'agent.outreach.not_found',
    status: 404,
  })
  t.match(responseOfRefusal(refuse('service.unavailable'), key), { refused: 'service.unavailable' })
})

t.test('A step of a journey is one key; without a step the key is the day and the profile', async (t) => {
  const step = { versionId: 'v1', nodeId: 'n2', instanceId: 'i3' }
  t.same(idempotencyKeyOf({ step, recipientKey: 'x' }, 'welcome', at, hash), {
    key: 'journey:v1:n2:i3:welcome',
    idempotency: 'journey',
  })
  const long = { ...step, instanceId: 'i'.repeat(300) }
  t.ok(idempotencyKeyOf({ step: long, recipientKey: 'x' }, 'welcome', at, hash).key!.length <= limits.keyChars)
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-c:%3A]{1,4}$/), { minLength: 6, maxLength: 6 }), (fields) => {
      const [one, other] = [fields.slice(0, 3), fields.slice(3)].map(([versionId, nodeId, instanceId]) => {
        const named = { versionId: versionId!, nodeId: nodeId!, instanceId: instanceId! }
        return idempotencyKeyOf({ step: named, recipientKey: 'x' }, 'welcome', at, hash).key
      })
      return (one === other) === (fields.slice(0, 3).join('\n') === fields.slice(3).join('\n'))
    }),
    { examples: [[['a:b', 'c', 'd', 'a', 'b:c', 'd']], [['a', 'b', 'c', 'a', 'b', 'c']]] },
  )
  t.same(idempotencyKeyOf({}, 'welcome', at, hash), { idempotency: 'derived' }, 'a rehearsal may be repeated')
  const derived = idempotencyKeyOf({ recipientKey: 'rcs:+14155550100' }, 'welcome', at, hash)
  t.equal(derived.idempotency, 'derived')
  t.notMatch(derived.key, /4155550100/)
  t.same(idempotencyKeyOf({ recipientKey: 'rcs:+14155550100' }, 'welcome', at + 59_000, hash), derived, 'the same day')
  t.not(
    idempotencyKeyOf({ recipientKey: 'rcs:+14155550100' }, 'welcome', at + 60_000, hash).key,
    derived.key,
    'the next one',
  )
})

t.test('A status has every member, and only a phone without RCS is unreachable', async (t) => {
  const send: Send = {
    id: 'snd_1',
    outreachId: 'welcome',
    origin: 'named',
    personId: 'per_1',
    state: 'queued',
    asid: 'usr_1',
    channel: 'rcs',
    address: '+14155550100',
    queuedAt: at,
    attempts: 1,
    nextAttemptAt: at,
  }
  t.same(journeyStatusOf(send), {
    sendId: 'snd_1',
    state: 'queued',
    reason: '',
    reachable: true,
    delivered: false,
    read: false,
    replied: false,
    final: false,
    nextAttemptAt: '2026-11-15T23:59:00.000Z',
  })
  t.match(journeyStatusOf({ ...send, state: 'failed', reason: 'not_rcs_capable' }), { reachable: false, final: true })
  t.match(journeyStatusOf({ ...send, state: 'failed', reason: 'binding_error' }), { reachable: true, final: true })
  t.match(journeyStatusOf({ ...send, state: 'sent', receipts: { readAt: at }, respondedAt: at }), {
    delivered: true,
    read: true,
    replied: true,
  })
})

t.test('The action requires the phone and every input, keeps its constants, and its request is valid', async (t) => {
  const outreach = { id: 'welcome-back', name: 'Welcome back', enabled: true, inputs: ['city', 'room'] }
  const definition = actionDefinition({ agentId: 'desk', outreach, url: 'https://parley.example/v1/x' })
  if (isRefusal(definition)) throw new Error('refused')
  const { send, status, runbook } = definition
  const required = send.fields!.filter(({ optional }) => !optional).map(({ field }) => field)
  t.same(required, ['profile.phone', 'inputs.city', 'inputs.room'])
  t.match(
    send.fields!.filter(({ mode }) => mode === 'constant').map(({ field, value }) => [field, value]),
    [
      ['profile.channel', 'rcs'],
      ['profileUpdate', 'fill'],
    ],
  )
  for (const { name } of [send, status]) t.match(name, /^[a-z0-9_]{1,30}$/)
  t.match(runbook[0], /at most 200 calls a second/)
  const filled = { ...send.request, profile: { ...(send.request!.profile as object), phone: '+14155550100' } }
  t.notOk(isRefusal(readJourneyCall(filled)))
})

t.test('The runbook of an outreach that is off opens with a warning', async (t) => {
  const outreach = { id: 'w', name: 'Welcome', enabled: false, inputs: [] }
  const definition = actionDefinition({ agentId: 'desk', outreach, url: '' })
  t.match(isRefusal(definition) ? [] : definition.runbook, [/^Warning: .*turned off/, /200 calls a second/])
})

t.test('Inputs that cannot be fields of a journey are refused, each by name', async (t) => {
  const outreach = { id: 'w', name: 'W', enabled: true, inputs: ['good', 'a.b', '$c', 'k'.repeat(129)] }
  const refused = actionDefinition({ agentId: 'desk', outreach, url: '' })
  t.match(refused, { refused: 'agent.outreach.journey_incompatible_inputs' })
  t.equal(isRefusal(refused) && refused.errors?.length, 3)
})
