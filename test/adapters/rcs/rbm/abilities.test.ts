/** What a phone can show: asked for when it is sent too much, and never exceeded. */
import fc from 'fast-check'
import t from 'tap'
import { featuresIn } from '../../../../adapters/emulator/rbm/features.js'
import { messagesFor } from '../../../../adapters/kit/suite/render.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { RbmPayload } from '../../../../adapters/rcs/rbm/payload.js'
import type { ContentMessage } from '../../../../core/amf/index.js'
import type { Adapter, NoResponse, ProviderRequest } from '../../../../core/channel/adapter.js'
import { firstExcess } from '../../../../core/channel/subset.js'
import { render } from '../../../../core/render/index.js'
import { message } from '../../../core/render/messages.js'
import { type Scripted, silence, testProvider } from './provider.js'
import { auth, everyFeature, rbmSamples } from './samples.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const { traits } = rbmAdapter.descriptor
const traitsWith = (...abilities: readonly string[]) => rbmAdapter.traitsForDevice!(abilities)
const without = (...lacking: readonly string[]) => everyFeature.filter((each) => !lacking.includes(each))
const anyPhone = fc.oneof(fc.subarray(everyFeature), fc.array(fc.string()), fc.subarray(['richcard_standalone', 'FLY']))
const about = { address: '+15550100', messageId: 'msg_1' }

t.test('For every list of features the traits are no more than those of the channel', async () => {
  fc.assert(
    fc.property(anyPhone, (abilities) => {
      const wider = firstExcess(traitsWith(...abilities), traits)
      if (wider !== undefined) throw new Error(`${wider} is more`)
    }),
  )
})

t.test('A phone that can do everything has all traits of the channel, and an unknown word adds nothing', async (t) => {
  t.same(traitsWith(...everyFeature), traits)
  t.same(traitsWith(...everyFeature, 'FLY', '__proto__'), traits)
  t.same(traitsWith('FLY'), traitsWith())
})

t.test('Each feature that a phone lacks takes away what needs it, and nothing else', async (t) => {
  const { carousel: _carousel, ...noCarousels } = traits
  const { card: _card, ...noCards } = noCarousels
  t.same(traitsWith(...without('REVOCATION')), traits)
  t.same(traitsWith(...without('RICHCARD_CAROUSEL')), noCarousels)
  t.same(traitsWith(...without('RICHCARD_STANDALONE')), noCards, 'without cards there are no carousels of them')
  const actions = {
    url: 'ACTION_OPEN_URL',
    dial: 'ACTION_DIAL',
    calendar: 'ACTION_CREATE_CALENDAR_EVENT',
    viewLocation: 'ACTION_VIEW_LOCATION',
    shareLocation: 'ACTION_SHARE_LOCATION',
  }
  for (const [kind, feature] of Object.entries(actions)) {
    const kinds = traits.chips!.kinds.filter((each) => each !== kind)
    t.same(traitsWith(...without(feature)), {
      ...traits,
      chips: { ...traits.chips, kinds },
      card: { ...traits.card, chipKinds: kinds },
    })
  }
  t.same(traitsWith().chips?.kinds, ['reply'], 'replies show everywhere')
  t.same(traitsWith().media, traits.media, 'and so does media')
})

t.test('Nothing of a message is lost on any phone, and none is sent what it cannot show', async () => {
  const check = (each: ContentMessage, abilities: readonly string[]) => {
    const { blocks, loss } = render(each, traitsWith(...abilities), reader)
    if (loss.length > 0) throw new Error(`lost: ${JSON.stringify(loss)}`)
    const wires = rbmAdapter.render(blocks, { ...about, deviceCapabilities: abilities })
    const needed = wires.flatMap((wire) => ('message' in wire ? featuresIn(wire.message) : []))
    const odd = needed.find((feature) => !abilities.includes(feature))
    if (odd !== undefined) throw new Error(`[${abilities.join()}] is sent what needs ${odd}`)
  }
  fc.assert(fc.property(message, anyPhone, check))
  const corpus = messagesFor({ adapter: rbmAdapter as Adapter, samples: rbmSamples as never, secrets: [] })
  for (const [, each] of corpus)
    for (const abilities of [[], ['RICHCARD_STANDALONE'], ...everyFeature.map((feature) => without(feature))])
      check(each, abilities)
})

t.test('Without cards a picture has its words ahead of it', async (t) => {
  const picture = { kind: 'image', url: 'https://media.example/1.png', alt: 'A room' } as const
  const block = { kind: 'media', media: picture, text: 'Your room.' } as never
  const contents = (abilities?: readonly string[]) =>
    rbmAdapter
      .render([block], { ...about, ...(abilities && { deviceCapabilities: abilities }) })
      .map((wire) => ('message' in wire ? Object.keys(wire.message.contentMessage) : []))
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

t.test('A message that is not taken by a phone with fewer features is refused with those', async (t) => {
  const told = [...without('RICHCARD_STANDALONE', 'RICHCARD_CAROUSEL')].reverse()
  const { sending, asked } = platform({ status: 400 }, { status: 200, body: { features: [...told, 'FLY', 7, 'FLY'] } })
  t.same(await rbmAdapter.send(card, sending), {
    ...refusal,
    deviceCapabilities: without('RICHCARD_STANDALONE', 'RICHCARD_CAROUSEL'),
  })
  await rbmAdapter.send(card, sending)
  const checks = asked.filter(isCheck)
  t.match(checks[0], { method: 'GET', url: /\/v1\/phones\/\+15550100\/capabilities\?requestId=[0-9a-f-]{36}&agentId=/ })
  t.equal(new Set(checks.map(({ url }) => url)).size, 2, 'every question has an id of its own')
  const none = platform({ status: 400 }, { status: 200, body: {} })
  t.same(await rbmAdapter.send(card, none.sending), { ...refusal, deviceCapabilities: [] }, 'an empty list is left out')
})

t.test('A phone that has everything, or of which nobody can say, leaves the refusal as it is', async (t) => {
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
    t.same(await rbmAdapter.send(card, platform({ status: 400 }, phone).sending), refusal, JSON.stringify(phone))
  }
})

t.test(
  'Nobody is asked about a phone for what a caller wrote themselves, for events and for other answers',
  async (t) => {
    const fewer: Scripted = { status: 200, body: { features: [] } }
    for (const wire of [
      { native: { contentMessage: {} } },
      { event: { eventType: 'IS_TYPING' } },
    ] satisfies RbmPayload[]) {
      const { sending, asked } = platform({ status: 400 }, fewer)
      t.same(await rbmAdapter.send(wire, sending), refusal)
      t.notOk(asked.some(isCheck))
    }
    for (const status of [200, 401, 403, 404, 409, 413, 429, 503]) {
      const { sending, asked } = platform({ status }, fewer)
      t.notOk('deviceCapabilities' in (await rbmAdapter.send(card, sending)), String(status))
      t.notOk(asked.some(isCheck))
    }
  },
)

t.test('Once a person has opted out nobody is asked about their phone', async (t) => {
  let isOut = false
  const { sending, asked } = platform({ status: 400 }, { status: 200, body: { features: [] } })
  const call: typeof sending.call = async (request) => {
    if (isOut) return { kind: 'none', detail: 'It is withheld.', unsent: true }
    const answer = await sending.call(request)
    isOut = request.url.includes('/agentMessages?')
    return answer
  }
  t.same(await rbmAdapter.send(card, { ...sending, call, isCancelled: () => isOut }), refusal)
  t.notOk(asked.some(isCheck))
})
