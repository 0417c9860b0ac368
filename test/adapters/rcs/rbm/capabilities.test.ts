/** What a phone can show: asked for when it is sent too much, and never exceeded. */
import fc from 'fast-check'
import t from 'tap'
import { featuresIn } from '../../../../adapters/emulator/rbm/features.js'
import { messagesFor } from '../../../../adapters/kit/suite/render.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { RbmPayload } from '../../../../adapters/rcs/rbm/payload.js'
import type { ContentMessage } from '../../../../core/amf/index.js'
import type { Adapter, NoResponse, ProviderRequest } from '../../../../core/channel/adapter.js'
import { findExcessTrait } from '../../../../core/channel/subset.js'
import { render } from '../../../../core/render/index.js'
import { message } from '../../../core/render/messages.js'
import { type Scripted, silence, testProvider } from './provider.js'
import { auth, everyFeature, rbmSamples } from './samples.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const { traits } = rbmAdapter.descriptor
const traitsFor = (...capabilities: readonly string[]) => rbmAdapter.traitsForDevice!(capabilities)
const without = (...lacking: readonly string[]) => everyFeature.filter((each) => !lacking.includes(each))
const anyPhone = fc.oneof(fc.subarray(everyFeature), fc.array(fc.string()), fc.subarray(['richcard_standalone', 'FLY']))
const context = { address: '+15550100', messageId: 'msg_1' }

t.test('For every list of features the device traits are a subset of the channel’s', async () => {
  fc.assert(
    fc.property(anyPhone, (capabilities) => {
      const wider = findExcessTrait(traitsFor(...capabilities), traits)
      if (wider !== undefined) throw new Error(`${wider} is more`)
    }),
  )
})

t.test('A phone with all features has all traits of the channel, and an unknown feature adds nothing', async (t) => {
  t.same(traitsFor(...everyFeature), traits)
  t.same(traitsFor(...everyFeature, 'FLY', '__proto__'), traits)
  t.same(traitsFor('FLY'), traitsFor())
})

t.test('Each missing feature of a phone removes the traits that need it, and no others', async (t) => {
  const { carousel: _carousel, ...noCarousels } = traits
  const { card: _card, ...noCards } = noCarousels
  t.same(traitsFor(...without('REVOCATION')), traits)
  t.same(traitsFor(...without('RICHCARD_CAROUSEL')), noCarousels)
  t.same(traitsFor(...without('RICHCARD_STANDALONE')), noCards, 'without cards there are no carousels of them')
  const actions = {
    url: 'ACTION_OPEN_URL',
    dial: 'ACTION_DIAL',
    calendar: 'ACTION_CREATE_CALENDAR_EVENT',
    viewLocation: 'ACTION_VIEW_LOCATION',
    shareLocation: 'ACTION_SHARE_LOCATION',
  }
  for (const [kind, feature] of Object.entries(actions)) {
    const kinds = traits.chips!.kinds.filter((each) => each !== kind)
    t.same(traitsFor(...without(feature)), {
      ...traits,
      chips: { ...traits.chips, kinds },
      card: { ...traits.card, chipKinds: kinds },
    })
  }
  t.same(traitsFor().chips?.kinds, ['reply'], 'replies show everywhere')
  t.same(traitsFor().media, traits.media, 'and so does media')
})

t.test('No part of a message is lost on any phone, and no phone gets what it cannot show', async () => {
  const check = (each: ContentMessage, capabilities: readonly string[]) => {
    const { blocks, loss } = render(each, traitsFor(...capabilities), reader)
    if (loss.length > 0) throw new Error(`lost: ${JSON.stringify(loss)}`)
    const payloads = rbmAdapter.render(blocks, { ...context, deviceCapabilities: capabilities })
    const needed = payloads.flatMap((payload) => ('message' in payload ? featuresIn(payload.message) : []))
    const odd = needed.find((feature) => !capabilities.includes(feature))
    if (odd !== undefined) throw new Error(`[${capabilities.join()}] is sent what needs ${odd}`)
  }
  fc.assert(fc.property(message, anyPhone, check))
  const corpus = messagesFor({ adapter: rbmAdapter as Adapter, samples: rbmSamples as never, secrets: [] })
  for (const [, each] of corpus)
    for (const capabilities of [[], ['RICHCARD_STANDALONE'], ...everyFeature.map((feature) => without(feature))])
      check(each, capabilities)
})

t.test('Without cards the caption of a picture is sent before it', async (t) => {
  const picture = { kind: 'image', url: 'https://media.example/1.png', alt: 'A room' } as const
  const block = { kind: 'media', media: picture, text: 'Your room.' } as never
  const contents = (capabilities?: readonly string[]) =>
    rbmAdapter
      .render([block], { ...context, ...(capabilities && { deviceCapabilities: capabilities }) })
      .map((payload) => ('message' in payload ? Object.keys(payload.message.contentMessage) : []))
  t.same(contents(), [['richCard']])
  t.same(contents(everyFeature), [['richCard']])
  t.same(contents(without('RICHCARD_STANDALONE')), [['text'], ['contentInfo']])
})

const card: RbmPayload = {
  message: {
    contentMessage: {
      richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: { title: 'Tea' } } },
    },
  },
}
const granted: Scripted = { status: 200, body: { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' } }
const isCheck = ({ url }: ProviderRequest) => url.includes('/capabilities?')

/** A platform that answers a message so, and the question for a phone so. */
function platform(sent: Scripted | NoResponse, phone: Scripted | NoResponse) {
  return testProvider(auth, (request) => {
    if (request.url.endsWith('/token')) return granted
    return isCheck(request) ? phone : sent
  })
}
const refusal = {
  kind: 'refused',
  reason: 'invalidMessage',
  detail: 'The platform or the phone does not take this message.',
  retry: 'otherChannel',
}

t.test('A refusal by a phone with fewer features carries those features', async (t) => {
  const features = [...without('RICHCARD_STANDALONE', 'RICHCARD_CAROUSEL')].reverse()
  const { sendContext, requests } = platform(
    { status: 400 },
    { status: 200, body: { features: [...features, 'FLY', 7, 'FLY'] } },
  )
  t.same(await rbmAdapter.send(card, sendContext), {
    ...refusal,
    deviceCapabilities: without('RICHCARD_STANDALONE', 'RICHCARD_CAROUSEL'),
  })
  await rbmAdapter.send(card, sendContext)
  const checks = requests.filter(isCheck)
  t.match(checks[0], { method: 'GET', url: /\/v1\/phones\/\+15550100\/capabilities\?requestId=[0-9a-f-]{36}&agentId=/ })
  t.equal(new Set(checks.map(({ url }) => url)).size, 2, 'every question has an id of its own')
  const none = platform({ status: 400 }, { status: 200, body: {} })
  t.same(
    await rbmAdapter.send(card, none.sendContext),
    { ...refusal, deviceCapabilities: [] },
    'an empty list is left out',
  )
})

t.test('A phone with all features, or of unknown features, leaves the refusal unchanged', async (t) => {
  const answers: readonly (Scripted | NoResponse)[] = [
    { status: 200, body: { features: everyFeature } },
    { status: 200, body: { features: 'none' } },
    { status: 200, body: '<html>' },
    { status: 200, body: '[]' },
    { status: 404 },
    { status: 401 },
    { status: 429 },
    { status: 503 },
    silence,
  ]
  for (const phone of answers) {
    t.same(await rbmAdapter.send(card, platform({ status: 400 }, phone).sendContext), refusal, JSON.stringify(phone))
  }
})

t.test('Native payloads, events and other responses trigger no capability check', async (t) => {
  const fewerCapabilities: Scripted = { status: 200, body: { features: [] } }
  for (const payload of [
    { native: { contentMessage: {} } },
    { event: { eventType: 'IS_TYPING' } },
  ] satisfies RbmPayload[]) {
    const { sendContext, requests } = platform({ status: 400 }, fewerCapabilities)
    t.same(await rbmAdapter.send(payload, sendContext), refusal)
    t.notOk(requests.some(isCheck))
  }
  for (const status of [200, 401, 403, 404, 409, 413, 429, 503]) {
    const { sendContext, requests } = platform({ status }, fewerCapabilities)
    t.notOk('deviceCapabilities' in (await rbmAdapter.send(card, sendContext)), String(status))
    t.notOk(requests.some(isCheck))
  }
})

t.test('An opt-out of the person triggers no capability check', async (t) => {
  let isOut = false
  const { sendContext, requests } = platform({ status: 400 }, { status: 200, body: { features: [] } })
  const call: typeof sendContext.call = async (request) => {
    if (isOut) return { kind: 'none', detail: 'It is withheld.', unsent: true }
    const answer = await sendContext.call(request)
    isOut = request.url.includes('/agentMessages?')
    return answer
  }
  t.same(await rbmAdapter.send(card, { ...sendContext, call, isCancelled: () => isOut }), refusal)
  t.notOk(requests.some(isCheck))
})
