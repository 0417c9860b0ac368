/**
 * What providers tell, adapter by adapter: nothing is acknowledged and dropped. A call comes to something that reaches
 * the
 * agent or is refused, but for kinds that are listed here by the name of their recorded call.
 */
import t from 'tap'
import { builtInAdapters } from '../../adapters/index.js'
import { callOf, receive } from '../../adapters/kit/suite/calls.js'
import type { Subject } from '../../adapters/kit/suite/harness.js'
import type { CallSample, Samples } from '../../adapters/kit/suite/samples.js'
import { openDeliveries } from '../../adapters/sms/smpp/deliver.js'
import { createMessageIds } from '../../adapters/sms/smpp/ids.js'
import { statuses } from '../../adapters/sms/smpp/refusals.js'
import type { Item } from '../../core/channel/adapter.js'
import { event, instagramSamples, messengerSamples, pageAuth, whatsappSamples } from './messenger/samples.js'
import { enveloped, address as phone, rbmSamples } from './rcs/rbm/samples.js'
import { quickLimits } from './sms/smpp/messagecenter.js'
import { formBody, twilioSamples } from './sms/twilio/samples.js'
import { appleSamples } from './vendor/apple/samples.js'
import { slackSamples } from './workchat/slack/samples.js'

interface Row {
  readonly samples: Samples
  /**
   * Recorded calls that come to nothing: echoes, previews, talks of others, states that are no news, and calls that
   * hold nothing.
   */
  readonly unspoken: readonly string[]
  /** Calls of kinds that no document has. */
  readonly unknown?: readonly unknown[]
}

const pageUnknown = [
  { object: 'page', entry: [{ id: pageAuth.pageId }] },
  { object: 'page', entry: [{ id: pageAuth.pageId, messaging: [event({ hologram: {} })] }] },
  { object: 'page', entry: [{ id: pageAuth.pageId, messaging: [event({ message: { mid: 'm_1' } })] }] },
  { object: 'page', entry: [{ messaging: [event({ message: { mid: 'm_1', text: 'Hi' } })] }] },
]
const pageUnspoken = ['our own message', 'a talk that another app holds', 'a warning to the page']

const rows: Readonly<Record<string, Row>> = {
  whatsapp: { samples: whatsappSamples as Samples, unspoken: ['nothing at all', 'a phone call'] },
  messenger: { samples: messengerSamples as Samples, unspoken: pageUnspoken, unknown: pageUnknown },
  instagram: { samples: instagramSamples as Samples, unspoken: pageUnspoken, unknown: pageUnknown },
  apple: { samples: appleSamples as Samples, unspoken: [] },
  slack: {
    samples: slackSamples as Samples,
    unspoken: ['our own message', 'a message whose link got a preview', 'a person who joined a channel'],
    unknown: [`payload=${encodeURIComponent(JSON.stringify({ type: 'hologram' }))}`, 'command=%2Fhello'],
  },
  rbm: {
    samples: rbmSamples as Samples,
    unspoken: [],
    unknown: [
      { senderPhoneNumber: phone, messageId: 'MxN1' },
      { senderPhoneNumber: phone, messageId: 'MxN2', hologram: {} },
      { senderPhoneNumber: phone, messageId: 'MxN3', suggestionResponse: {} },
      { senderPhoneNumber: phone, eventType: 'HOLOGRAM', eventId: 'e1' },
      { hologram: {} },
    ].map(enveloped),
  },
  twilio: {
    samples: twilioSamples as Samples,
    unspoken: ['queued', 'sending', 'delivered in part'],
    unknown: (<Readonly<Record<string, string>>[]>[
      { MessageSid: 'SM1', From: phone },
      { MessageSid: 'SM1', From: phone, NumMedia: '3' },
      { MessageSid: 'SM1', From: phone, Hologram: '1' },
      { MessageSid: 'SM1', MessageStatus: 'hologram', To: phone },
      { Hologram: '1' },
    ]).map(formBody),
  },
}

for (const adapter of builtInAdapters) {
  const { provider } = adapter.descriptor
  if (adapter.connect) continue
  const { samples, unspoken, unknown = [] } = rows[provider]!
  const subject: Subject = { adapter, samples, secrets: [] }

  /** Whether it comes to something, or is refused as unreadable. */
  function isCovered(sample: CallSample, body = sample.body): boolean {
    const outcome = receive(subject, callOf(subject, { ...sample, body }))
    if ('failed' in outcome) throw new Error(outcome.failed)
    const { received } = outcome
    if (received.kind !== 'items') return true
    return received.items.length > 0 || (received.otherAccounts?.length ?? 0) > 0
  }

  t.test(`Every kind of item that ${provider} reports has an effect, except the listed kinds`, async (t) => {
    const nothing = samples.calls.filter((sample) => !isCovered(sample)).map(({ name }) => name)
    t.same(nothing.sort(), [...unspoken].sort())
  })

  t.test(`An item of ${provider} of an undocumented kind has an effect or is refused`, async (t) => {
    const reported = samples.calls.filter(({ name, becomes }) => becomes.kind === 'items' && !unspoken.includes(name))
    const altered = reported.flatMap((sample) => variantsOf(sample.body).map((body) => ({ sample, body })))
    for (const { sample, body } of altered) {
      t.ok(isCovered(sample, body), `${sample.name}: ${JSON.stringify(body).slice(0, 300)}`)
    }
    for (const body of unknown) t.ok(isCovered({ name: 'unknown', body, becomes: { kind: 'refused' } }), String(body))
    t.ok(altered.length + unknown.length > 0)
  })
}

const kindNames = ['type', 'subtype', 'field', 'status']

/** The same body, each time with another of its kinds replaced by one that is new. */
function variantsOf(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array) return []
  return Object.entries(body).flatMap(([name, value]) => {
    const withValue = (other: unknown) =>
      Array.isArray(body) ? body.with(Number(name), other) : { ...body, [name]: other }
    const own = kindNames.includes(name) && typeof value === 'string' ? ['hologram'] : []
    return [...own, ...variantsOf(value)].map(withValue)
  })
}

t.test('Every item of a message center has an effect or is refused, except the listed kinds', async (t) => {
  const head = { command: 'deliver_sm', command_status: 0, sequence_number: 1 }
  const from = { ...head, source_addr: '15550001', source_addr_ton: 1, destination_addr: '15550100' }
  const types = Array.from({ length: 16 }, (_, at) => at * 4)
  const texts = [Buffer.from('Hi'), Buffer.alloc(0), Buffer.from('id:1 stat:DELIVRD'), Buffer.from('id:2 stat:NEW')]
  const units = types.flatMap((type) =>
    texts.flatMap((short_message) =>
      [0, 0x40].flatMap((header) =>
        [0, 4, 8].map((data_coding) => ({ ...from, esm_class: type | header, short_message, data_coding })),
      ),
    ),
  )
  const unspoken = [0x08, 0x18]
  const unsigned = { ...from, source_addr: '', esm_class: 0, short_message: Buffer.from('Hi') }
  for (const unit of [...units, unsigned]) {
    const reported: Item[] = []
    const deliveries = openDeliveries(quickLimits, createMessageIds(10), async (items) => void reported.push(...items))
    let status: number | undefined
    deliveries.accept(unit, (given) => {
      status = given
      return true
    })
    await deliveries.close()
    const isReported = reported.some((item) => !('problem' in item))
    const isUnspoken = unspoken.includes(unit.esm_class & 0x3c)
    t.equal(isReported || status !== statuses.ok, !isUnspoken, JSON.stringify(unit))
  }
})
