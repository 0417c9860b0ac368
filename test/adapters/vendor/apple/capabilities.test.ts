/** What a person's device can show: told by Apple, and never exceeded. */
import fc from 'fast-check'
import t from 'tap'
import { messagesFor } from '../../../../adapters/kit/suite/render.js'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import { deviceCapabilitiesIn } from '../../../../adapters/vendor/apple/capabilities.js'
import type { ApplePayload } from '../../../../adapters/vendor/apple/render.js'
import type { ContentMessage } from '../../../../core/amf/index.js'
import type { Adapter, IngressRequest } from '../../../../core/channel/adapter.js'
import { findExcessTrait } from '../../../../core/channel/subset.js'
import { adapter as limits } from '../../../../core/limits/index.js'
import { floorText, render } from '../../../../core/render/index.js'
import { message } from '../../../core/render/messages.js'
import { noon } from '../../messenger/provider.js'
import { appleAuth, appleSamples, bearer, everyAbility, messageBody, person } from './samples.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const traitsFor = (...capabilities: readonly string[]) => appleAdapter.traitsForDevice!(capabilities)
const anyDevice = fc.oneof(fc.subarray([...everyAbility]), fc.array(fc.string()), fc.subarray(['list', 'BALLOON']))

/** Kinds of interactive data, by the ability that each needs. */
const needs = { 'quick-reply': 'QUICK', listPicker: 'LIST', event: 'TIME' } as const

function unshowable(payloads: readonly ApplePayload[], capabilities: readonly string[]): string | undefined {
  const data = payloads.flatMap(({ message: { interactiveData } }) =>
    interactiveData ? [(interactiveData as { data: object }).data] : [],
  )
  const kinds = Object.keys(needs) as (keyof typeof needs)[]
  return kinds.find((kind) => !capabilities.includes(needs[kind]) && data.some((each) => kind in each))
}

const choiceOf = (count: number): ContentMessage => ({
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.choice',
      intentId: 'room',
      prompt: 'Which room?',
      options: Array.from({ length: count }, (_, at) => ({ id: `r${at}`, label: `Room ${at}` })),
    },
  ],
})
const times: ContentMessage = {
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.time',
      intentId: 'when',
      prompt: 'When?',
      slots: [12, 13, 14].map((hour) => ({
        id: `s${hour}`,
        start: { iso: `2026-11-20T${hour}:00:00.000Z`, tz: 'America/New_York' },
      })),
    },
  ],
}
const kindsOf = (each: ContentMessage, ...capabilities: readonly string[]) =>
  render(each, traitsFor(...capabilities), reader).blocks.map((block) =>
    'chips' in block && block.chips ? 'chips' : block.kind,
  )

t.test('For every list of capabilities the device traits are a subset of the channel’s', async () => {
  fc.assert(
    fc.property(anyDevice, (capabilities) => {
      const wider = findExcessTrait(traitsFor(...capabilities), appleAdapter.descriptor.traits)
      if (wider !== undefined) throw new Error(`${wider} is more`)
    }),
  )
})

t.test('A device that can do everything has all traits of the channel', async (t) => {
  t.same(traitsFor(...everyAbility), appleAdapter.descriptor.traits)
})

t.test('No part of a message is lost on any device, and no device gets what it cannot show', async () => {
  const check = (each: ContentMessage, capabilities: readonly string[]) => {
    const { blocks, loss } = render(each, traitsFor(...capabilities), reader)
    if (loss.length > 0) throw new Error(`lost: ${JSON.stringify(loss)}`)
    const written = blocks.filter(({ kind }) => kind !== 'native')
    const odd = unshowable(appleAdapter.render(written, { address: person, messageId: 'msg_1' }), capabilities)
    if (odd !== undefined) throw new Error(`[${capabilities.join()}] is sent a ${odd}`)
  }
  fc.assert(fc.property(message, anyDevice, check))
  const corpus = messagesFor({ adapter: appleAdapter as Adapter, samples: appleSamples as never, secrets: [] })
  for (const [, each] of corpus)
    for (const capabilities of [[], ['QUICK'], ['LIST'], ['TIME']]) check(each, capabilities)
})

t.test('Without lists a choice becomes quick replies if they are few enough, and numbers if not', async (t) => {
  t.same(kindsOf(choiceOf(3), ...everyAbility), ['list'])
  t.same(kindsOf(choiceOf(3), 'QUICK', 'TIME'), ['chips'])
  t.same(kindsOf(choiceOf(9), 'QUICK', 'TIME'), ['text'])
  t.same(kindsOf(choiceOf(3), 'AUTH'), ['text'])
  t.match(floorText(render(choiceOf(3), traitsFor('AUTH'), reader)), /^1\. Room 0$/m)
})

t.test('Without the time picker times are offered with the remaining controls', async (t) => {
  t.same(kindsOf(times, 'TIME'), ['times'])
  t.same(kindsOf(times, 'LIST', 'QUICK'), ['list'])
  t.same(kindsOf(times, 'QUICK'), ['chips'])
  t.same(kindsOf(times, 'FORM'), ['text'])
})

t.test('Device capabilities are reported with every action of the person', async (t) => {
  const headers: Readonly<Record<string, string>> = {
    authorization: bearer({ aud: appleAuth.mspId, iat: noon / 1_000 }),
    'capability-list': 'QUICK, list,QUICK,',
  }
  for (const content of [{ type: 'text', body: 'Hi' }, { type: 'typing_start' }, { type: 'close' }]) {
    const request: IngressRequest = {
      bindingId: 'cb_1',
      method: 'POST',
      url: 'https://gateway.example/v4/ingress/cb_1',
      header: (name) => headers[name] ?? '',
      body: Buffer.from(JSON.stringify(messageBody('a1', content))),
      at: noon,
    }
    const received = appleAdapter.receive(request, appleAuth)
    const items = received.kind === 'items' ? received.items : []
    t.ok(items.length > 0)
    for (const item of items) t.match(item, { deviceCapabilities: ['QUICK', 'LIST'] })
  }
})

t.test('An unusable header reports no capabilities, and a long list is bounded', async (t) => {
  for (const header of ['', ' ', ',,', 'X'.repeat(limits.deviceCapabilityChars + 1)])
    t.equal(deviceCapabilitiesIn(header), undefined)
  const many = Array.from({ length: 500 }, (_, at) => `A${at}`)
  t.equal(deviceCapabilitiesIn(many.join())?.length, limits.deviceCapabilities)
})
