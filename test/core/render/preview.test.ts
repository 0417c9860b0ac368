/** What a writer of messages is shown before anything is sent. */
import { deepStrictEqual } from 'node:assert/strict'
import t from 'tap'
import type { ContentMessage } from '../../../core/amf/index.js'
import { channelNames } from '../../../core/channelnames.js'
import { previewChannels, previewChannelsInSteps } from '../../../core/render/index.js'

const reader = { locale: 'en-US', zone: 'UTC' }
const message: ContentMessage = {
  spec: 'amf/1',
  parts: [
    { type: 'text', text: 'It’s **ready**' },
    { type: 'ask.location', intentId: 'where', prompt: 'Where to?' },
  ],
}

t.test('A preview shows every channel without loss, as plain JSON', async (t) => {
  const previews = previewChannels(message, reader)
  t.same(Object.keys(previews), [...channelNames])
  t.same(JSON.parse(JSON.stringify(previews)), previews)
  for (const { loss } of Object.values(previews)) t.same(loss, [])
  t.match(previews.rcs.blocks.at(-1), { chips: [{ kind: 'shareLocation' }] })
})

t.test('The sms preview also shows the text and its cost', async (t) => {
  const { sms, rcs } = previewChannels(message, reader)
  t.match(sms, { text: "It's ready\n\nWhere to?\nReply with your address.", encoding: 'gsm7', units: 46, segments: 1 })
  t.notOk('segments' in rcs)
})

t.test('A preview of a long text is made in many steps, with the same result as in one', async (t) => {
  const text = 'a *b* '.repeat(600)
  const long: ContentMessage = { spec: 'amf/1', parts: Array.from({ length: 5 }, () => ({ type: 'text', text })) }
  const steps = previewChannelsInSteps(long, reader)
  let count = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      deepStrictEqual(step.value, previewChannels(long, reader))
      break
    }
    count++
  }
  t.ok(count > 3 * long.parts.length * channelNames.length, `${count} steps`)
})
