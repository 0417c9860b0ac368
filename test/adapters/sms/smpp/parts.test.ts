/**
 * How a text becomes parts: as many as a public calculator counts, none of them too long, and nothing divided that must
 * not be.
 */
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import t from 'tap'
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import { textIn } from '../../../../adapters/sms/smpp/alphabet.js'
import { partsOf, submitFields } from '../../../../adapters/sms/smpp/parts.js'
import { foldLookalikes, isGsm7, segmentsOf } from '../../../../core/render/gsm7.js'
import { readableTexts, render } from '../../../../core/render/index.js'
import { message } from '../../../core/render/messages.js'

const gsm = fc.constantFrom(...'aZ09 @£\n^{}[~]|€\\éàΩ')
const anything = fc.oneof({ weight: 8, arbitrary: gsm }, fc.constantFrom('中', '😀', 'ç', 'ё', '👩‍👩‍👧', '’'))
const text = fc
  .oneof(fc.array(gsm, { maxLength: 700, size: 'max' }), fc.array(anything, { maxLength: 500, size: 'max' }))
  .map((characters) => characters.join(''))

const runs = { numRuns: 200 }

function assertThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence)
}

function octetsOf(fields: Readonly<Record<string, unknown>>): Buffer {
  return fields.short_message as Buffer
}

t.test('A text has as many parts as it has segments', async () => {
  fc.assert(
    fc.property(text, (each) =>
      assertThat(partsOf(each, 7).length === segmentsOf(each).segments, 'the number of parts'),
    ),
    runs,
  )
})

t.test('A text has as many parts as a public calculator counts', async () => {
  // Pictures that are joined of several it keeps together; a part may end within them, and phones join them again.
  const single = text.filter((each) => each !== '' && !each.includes('\u200d'))
  fc.assert(
    fc.property(single, (each) => {
      const counted = new SegmentedMessage(each, 'auto').segmentsCount
      assertThat(partsOf(each, 7).length === counted, `${counted} counted`)
    }),
    // It takes its time, and to find a shorter text that is also wrong would take much more of it.
    { numRuns: 60, endOnFailure: true },
  )
})

t.test('The joined parts are the text, each in order and under the same reference', async () => {
  fc.assert(
    fc.property(text, fc.nat(255), (each, reference) => {
      const parts = partsOf(each, reference)
      assertThat(parts.map((part) => part.text).join('') === each, 'the texts')
      if (parts.length === 1) return assertThat(parts[0]!.part === undefined, 'a single part has no header')
      for (const [index, { part }] of parts.entries()) {
        assertThat(
          part!.number === index + 1 && part!.total === parts.length && part!.reference === reference,
          'the header',
        )
      }
    }),
    runs,
  )
})

t.test('No part is longer than an SMS, and each can be read alone: no character is divided', async () => {
  fc.assert(
    fc.property(text, (each) => {
      for (const part of partsOf(each, 200)) {
        const fields = submitFields(part)
        const octets = octetsOf(fields)
        const header = part.part ? 6 : 0
        const body = octets.subarray(header)
        const bits = body.length * (part.alphabet === 'gsm7' ? 7 : 8)
        assertThat(Math.ceil(bits / 8) + header <= 140, `${body.length} octets of ${part.alphabet}`)
        assertThat(textIn(body, fields.data_coding as number) === part.text, `${part.text} is read as something else`)
        if (part.alphabet === 'gsm7') assertThat(body.at(-1) !== 0x1b, 'an escape at the end')
        else assertThat(!/[\ud800-\udbff]$|^[\udc00-\udfff]/.test(part.text), 'half a character')
        assertThat(fields.esm_class === (part.part ? 0x40 : 0), 'the mark of a header')
      }
    }),
    runs,
  )
})

t.test('The alphabet is the one that rendering uses for counting', async (t) => {
  for (let code = 0; code < 0x3000; code += 1) {
    const character = String.fromCharCode(code)
    const [part] = partsOf(character, 0)
    const octets = octetsOf(submitFields(part!))
    if (isGsm7(character)) t.equal(textIn(octets, 0), character, `U+${code.toString(16)}`)
    else if (textIn(octets, 8) !== character) t.fail(`U+${code.toString(16)} is not the same in UCS-2`)
  }
})

t.test('The header of a part is 05 00 03, the reference, the number of parts, and its position', async (t) => {
  const parts = partsOf('a'.repeat(161), 0xab)
  t.same(
    parts.map((part) => octetsOf(submitFields(part)).subarray(0, 7).toString('hex')),
    ['050003ab020161', '050003ab020261'],
  )
  t.same(
    parts.map((part) => part.text.length),
    [153, 8],
  )
  t.equal(submitFields(partsOf('中', 0)[0]!).data_coding, 8)
  t.equal(octetsOf(submitFields(partsOf('{€', 0)[0]!)).toString('hex'), '1b281b65')
})

t.test('Every text of a message is in the submits, in order', async () => {
  const reader = { locale: 'en-US', zone: 'America/New_York' }
  fc.assert(
    fc.property(message, (each) => {
      const { blocks } = render(each, smppAdapter.descriptor.traits, reader)
      const payloads = smppAdapter.render(blocks, { address: '+15550001', messageId: 'msg_1' })
      const whole = foldLookalikes(payloads.map((payload) => (payload.kind === 'text' ? payload.text : '')).join(''))
      let reached = 0
      for (const readable of readableTexts(each, reader)) {
        for (const word of foldLookalikes(readable).match(/[a-z]{2,}/g) ?? []) {
          const position = whole.indexOf(word, reached)
          assertThat(position >= 0, `${word} of ${JSON.stringify(readable)} is missing or out of order in\n${whole}`)
          reached = position + word.length
        }
      }
    }),
    { numRuns: 200 },
  )
})

t.test('A message has the same references at each retry, and its texts have different ones', async (t) => {
  const blocks = Array.from({ length: 3 }, () => ({ kind: 'text' as const, text: 'b'.repeat(200) }))
  const about = { address: '+15550001', messageId: 'msg_01H' }
  const references = () =>
    smppAdapter.render(blocks, about).map((payload) => (payload.kind === 'text' ? payload.part!.reference : -1))
  t.same(references(), references())
  t.equal(new Set(references()).size, 3)
  t.ok(references().every((reference) => reference >= 0 && reference <= 255))
})
