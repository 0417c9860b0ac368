/** The table of channels, and the document that callers read of it. */
import t from 'tap'
import { partTypes } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { channelNames } from '../../../core/channelnames.js'
import { capabilitiesOf } from '../../../core/render/capabilities.js'
import { render } from '../../../core/render/index.js'
import { cases } from '../render/cases.js'

t.test('Every channel of the contract has its traits', async (t) => {
  for (const channel of channelNames) t.equal(traitsOf(channel).channel, channel)
})

t.test('Every row of the table of traits is possible', async (t) => {
  for (const channel of channelNames) {
    const { text, chips, card, carousel, list } = traitsOf(channel)
    t.ok((text.besideMax ?? text.max) <= text.max, `${channel}: text beside chips is not longer than text`)
    t.ok(!chips || (chips.min <= chips.max && chips.kinds.includes('reply')), `${channel}: chips can be answered`)
    t.ok(!carousel || card, `${channel}: a carousel is made of cards`)
    t.ok(!list || list.min <= list.max, `${channel}: a list has a size`)
  }
})

t.test('The document lists how each part is shown', async (t) => {
  const levels = (channel: (typeof channelNames)[number]) => capabilitiesOf(traitsOf(channel), 'any').parts
  t.same(Object.keys(levels('sms')), partTypes)
  const onSms: Record<string, string> = { ...levels('sms') }
  t.equal(onSms.native, 'native')
  for (const type of partTypes.filter((each) => each !== 'native')) t.equal(onSms[type], 'text', `${type} on sms`)
  t.match(levels('rcs'), {
    'ask.choice': 'native',
    carousel: 'native',
    'share.event': 'native',
    'share.contact': 'text',
  })
  t.match(levels('vendorMessages'), {
    'ask.time': 'native',
    carousel: 'degraded',
    showcase: 'degraded',
    'ask.location': 'text',
  })
  t.match(levels('messengerA'), { text: 'native', 'ask.location': 'native', 'share.event': 'degraded' })
})

t.test('A part that the document calls text is rendered as text', async (t) => {
  for (const channel of channelNames) {
    const traits = traitsOf(channel)
    for (const [type, level] of Object.entries(capabilitiesOf(traits, 'any').parts)) {
      const plain = Object.values(cases[type as keyof typeof cases]).every((message) =>
        render(message, traits, { locale: 'en-US', zone: 'UTC' }).blocks.every(
          (block) => block.kind === 'text' && block.chips === undefined,
        ),
      )
      if (type !== 'text' && type !== 'native') t.equal(plain, level === 'text', `${type} on ${channel} is ${level}`)
    }
  }
})

t.test('A missing feature of a channel is listed as null, not omitted', async (t) => {
  t.same(capabilitiesOf(traitsOf('sms'), 'emulator'), {
    channel: 'sms',
    provider: 'emulator',
    parts: capabilitiesOf(traitsOf('sms'), 'emulator').parts,
    chips: { kinds: [], max: 0, labelMax: 0 },
    carousel: { min: 0, max: 0 },
    card: { titleMax: 0, descriptionMax: 0, chipsMax: 0 },
    text: { max: 1_600, encoding: 'gsm7', segments: true },
    media: { types: [], maxBytes: 0 },
    receipts: { delivered: true, read: false },
    typing: false,
    window: { hours: null },
  })
  t.match(capabilitiesOf(traitsOf('messengerA'), 'whatsapp'), { window: { hours: 24 }, carousel: { min: 2, max: 10 } })
})
