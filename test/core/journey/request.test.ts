/** What a journey sends, read leniently where the contract says so and refused by name elsewhere. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { type JourneyCall, readJourneyCall } from '../../../core/journey/request.js'
import { agentLimits } from '../../../core/limits/agent.js'
import { outreachSend as limits } from '../../../core/limits/index.js'

const profile = { phone: '+14155550100' }

function read(body: unknown): JourneyCall {
  const call = readJourneyCall(body)
  if (isRefusal(call)) throw new Error(`refused: ${call.detail}`)
  return call
}

function fieldsOf(body: unknown): string[] {
  const call = readJourneyCall(body)
  if (!isRefusal(call)) return []
  t.equal(call.refused, 'request.invalid')
  t.equal(call.status, 400)
  return (call.errors ?? []).map(({ field }) => field)
}

t.test('A phone alone is enough: the send goes to that number over rcs, as a journey', async (t) => {
  t.same(read({ profile }), {
    send: {
      recipient: { kind: 'address', channel: 'rcs', address: '+14155550100' },
      profile: { phone: '+14155550100' },
      source: 'journey',
    },
    isDryRun: false,
    recipientKey: 'rcs:+14155550100',
  })
})

t.test('Null, empty text and a missing member mean the same', async (t) => {
  const bare = read({ profile })
  for (const nothing of [null, '', undefined]) {
    const body = {
      profile: { ...profile, channel: nothing, id: nothing, firstName: nothing, lastName: nothing, email: nothing },
      profileUpdate: nothing,
      consent: { sms: nothing, evidence: nothing },
      journey: { versionId: nothing, nodeId: nothing, instanceId: nothing },
      inputs: { colour: nothing },
      emulator: { personaId: nothing },
      dryRun: nothing,
    }
    t.same(read(body), bare)
    t.same(read({ profile, consent: nothing, journey: nothing, inputs: nothing, emulator: nothing }), bare)
  }
})

t.test('Numbers and booleans are accepted as their text', async (t) => {
  const { send, step } = read({
    profile: { ...profile, firstName: 7, email: false },
    journey: { versionId: 1, nodeId: 2, instanceId: 3 },
    inputs: { floor: 12, isSuite: true },
  })
  t.match(send, { profile: { firstName: '7', email: 'false' }, inputs: { floor: '12', isSuite: 'true' } })
  t.same(step, { versionId: '1', nodeId: '2', instanceId: '3' })
})

t.test('dryRun is a boolean or its text, and nothing else', async (t) => {
  for (const yes of [true, 'true']) t.equal(read({ profile, dryRun: yes }).isDryRun, true)
  for (const no of [false, 'false', null, '']) t.equal(read({ profile, dryRun: no }).isDryRun, false)
  for (const bad of ['yes', 1, [], {}]) t.same(fieldsOf({ profile, dryRun: bad }), ['dryRun'])
})

t.test('Consent is claimed by y, refused by n, and left open by any other value', async (t) => {
  for (const yes of ['y', 'Y', ' y ']) t.match(read({ profile, consent: { sms: yes } }).send.consent, { optIn: true })
  for (const no of ['n', 'N']) t.match(read({ profile, consent: { sms: no } }).send.consent, { optIn: false })
  for (const other of ['yes', 'no', '1', 'true', '?']) {
    t.equal(read({ profile, consent: { sms: other } }).send.consent, undefined)
  }
  t.match(read({ profile, consent: { sms: 'y' } }).send.consent?.evidence, /consent\.sms was y/)
  t.equal(read({ profile, consent: { sms: 'n', evidence: 'form 7' } }).send.consent?.evidence, 'form 7')
})

t.test('The phone is a plus sign and 7 to 15 digits', async (t) => {
  for (const good of ['+1234567', '+123456789012345']) t.same(fieldsOf({ profile: { phone: good } }), [])
  for (const bad of [
    '1234567',
    '+123456',
    '+1234567890123456',
    '+1 415 555 0100',
    'tel:+14155550100',
    '+1415555o100',
  ]) {
    t.same(fieldsOf({ profile: { phone: bad } }), ['profile.phone'], bad)
  }
  t.same(fieldsOf({}), ['profile.phone'])
  t.same(fieldsOf({ profile: 'x' }), ['profile', 'profile.phone'])
})

t.test('Unknown members are refused by their paths, all of them at once', async (t) => {
  const body = { profile: { ...profile, fone: 'x' }, consent: { SMS: 'y' }, Journey: {}, dryrun: true }
  t.same(fieldsOf(body).sort(), ['Journey', 'consent.SMS', 'dryrun', 'profile.fone'])
  for (const wrong of [null, [], 'x', 7]) t.same(fieldsOf(wrong), ['body'])
})

t.test('A sandbox send names a persona and no profile', async (t) => {
  t.same(read({ emulator: { personaId: 'per_1' } }).send.recipient, { kind: 'persona', personaId: 'per_1' })
  t.same(fieldsOf({ emulator: { personaId: 'per_1' }, profile }), ['profile.phone'])
  t.same(fieldsOf({ emulator: { personaId: 'per_1' }, profile: { phone: '' } }), [])
})

t.test('Inputs have the limits of a named send, at each limit and one past it', async (t) => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))
  t.same(fieldsOf({ profile, inputs: many(limits.inputs) }), [])
  t.same(fieldsOf({ profile, inputs: many(limits.inputs + 1) }), ['inputs'])
  t.same(fieldsOf({ profile, inputs: { ['k'.repeat(limits.inputKeyChars)]: 'v' } }), [])
  t.equal(fieldsOf({ profile, inputs: { ['k'.repeat(limits.inputKeyChars + 1)]: 'v' } }).length, 1)
  t.same(fieldsOf({ profile, inputs: { k: 'v'.repeat(limits.inputValueChars) } }), [])
  t.same(fieldsOf({ profile, inputs: { k: 'v'.repeat(limits.inputValueChars + 1) } }), ['inputs.k'])
  t.same(fieldsOf({ profile, inputs: { 'a.b': 'v', $c: 'v' } }), ['inputs.a.b', 'inputs.$c'])
  t.same(fieldsOf({ profile, inputs: { list: [] } }), ['inputs.list'])
})

t.test('A body with more faults than an answer lists says how many there are', async (t) => {
  const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`member${nth}`, 1]))
  const refusal = readJourneyCall({ profile, ...unknown })
  if (!isRefusal(refusal)) return t.fail('the body is refused')
  t.equal(refusal.errors?.length, agentLimits.faults)
  t.match(refusal.detail, /^member0: .* \(the first 50 of 60 are listed\)$/)
})

t.test('A member that every object has, and one without a name, count as unknown', async (t) => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) t.same(fieldsOf({ profile, [name]: 'x' }), [name])
  t.same(fieldsOf({ profile, '': 'x' }), ['body'])
})

t.test('Any request is accepted or refused by path, and never throws', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue(), (body, inner) => {
      for (const value of [body, { profile: inner }, { profile, inputs: inner, consent: body, journey: inner }]) {
        const call = readJourneyCall(value)
        if (isRefusal(call) && !(call.errors?.length && call.errors.every(({ field }) => field.length > 0)))
          return false
      }
      return true
    }),
  )
  t.pass()
})
