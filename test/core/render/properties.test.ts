/** What rendering promises for every message and every channel, those that exist and those that do not. */
import fc from 'fast-check'
import t from 'tap'
import { appleAdapter } from '../../../adapters/vendor/apple/adapter.js'
import { type ContentMessage, type Part, tapsOf, validateMessage } from '../../../core/amf/index.js'
import type { Block, RenderedChip } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { Traits } from '../../../core/channel/traits.js'
import { channelNames } from '../../../core/channelnames.js'
import type { Reader, Rendering } from '../../../core/render/contract.js'
import { foldLookalikes } from '../../../core/render/gsm7.js'
import { floorText, readableTexts, render } from '../../../core/render/index.js'
import { oneLine } from '../../../core/render/lines.js'
import { labelsOf } from '../../../core/render/optionlabels.js'
import { phrases } from '../../../core/render/phrases.js'
import { sizeOf } from '../../../core/render/split.js'
import { message, traits } from './messages.js'

const reader: Reader = { locale: 'en-US', zone: 'America/New_York' }
/** What is left of a channel on one device. */
const device = fc.subarray(['LIST', 'TIME', 'QUICK']).map((abilities) => appleAdapter.traitsForDevice!(abilities))
const listed = fc.constantFrom(...channelNames).map(traitsOf)
const withoutPayloads = listed.map((each) => ({ ...each, withoutPayloads: true as const }))
const channel = fc.oneof(traits, listed, withoutPayloads, device)
const runs = { numRuns: 300 }

/** Runs a check on arbitrary messages and channels; a failure shows the seed that repeats it. */
function always(check: (rendering: Rendering, message: ContentMessage, traits: Traits) => void): void {
  fc.assert(
    fc.property(message, channel, (each, of) => check(render(each, of, reader), each, of)),
    runs,
  )
}

function assertThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence)
}

t.test('The messages generated for the other properties are valid', async () => {
  fc.assert(
    fc.property(message, (each) => {
      const validated = validateMessage(each)
      assertThat('message' in validated, JSON.stringify(validated))
    }),
    runs,
  )
})

t.test('No part of a message is lost on any channel', async () => {
  always(({ loss }) => assertThat(loss.length === 0, `lost: ${JSON.stringify(loss)}`))
})

t.test('A word too long for a message is not lost beside characters that the markup escapes', async (t) => {
  const narrow = { ...traitsOf('workchatD'), text: { max: 80, unit: 'characters', encoding: 'unicode' } } as const
  const sample: ContentMessage = { spec: 'amf/1', parts: [{ type: 'text', text: `${'a'.repeat(100)} A&B <c> it’s` }] }
  const { blocks, loss } = render(sample, narrow, reader)
  t.same(loss, [])
  t.match(JSON.stringify(blocks), /A&amp;B/)
})

t.test('On text channels everything keeps the order of the message', async () => {
  fc.assert(
    fc.property(message, (each) => {
      const text = foldLookalikes(floorText(render(each, traitsOf('sms'), reader)))
      let reached = 0
      for (const readable of readableTexts(each, reader, 'sms')) {
        for (const word of foldLookalikes(readable).match(/[a-z]{2,}/g) ?? []) {
          const position = text.indexOf(word, reached)
          assertThat(position >= 0, `${word} of ${JSON.stringify(readable)} is missing or out of order in\n${text}`)
          reached = position + word.length
        }
      }
    }),
    runs,
  )
})

t.test('Every block fits the channel that it was rendered for', async () => {
  always(({ blocks }, _, of) => {
    for (const block of blocks) checkBlock(block, of)
  })
})

function checkBlock(block: Block, of: Traits): void {
  const beside = of.text.besideMax ?? of.text.max
  switch (block.kind) {
    case 'native':
      return
    case 'text':
      checkText(block.text, block.chips ? beside : of.text.max, of)
      assertThat(block.text.trim() !== '', 'text says something')
      return checkChips(block.chips, of)
    case 'media':
      assertThat(of.media !== undefined, 'media goes only where there is media')
      if (block.text !== undefined) checkText(block.text, beside, of)
      return checkChips(block.chips, of)
    case 'card':
      checkCard(block.card, of)
      return checkChips(block.chips, of)
    case 'carousel': {
      const { min = 0, max = 0 } = of.carousel ?? {}
      assertThat(
        block.cards.length >= Math.max(2, min) && block.cards.length <= max,
        'a carousel has as many cards as may be',
      )
      for (const card of block.cards) checkCard(card, of)
      if (of.carousel?.alike) {
        const rows = new Set(block.cards.map(({ chips = [] }) => chips.map(({ kind }) => kind).join()))
        assertThat(rows.size === 1 && !rows.has(''), 'cards of a carousel are alike')
      }
      return checkChips(block.chips, of)
    }
    case 'list': {
      const { min = 0, max = 0, labelMax = 0, descriptionMax = 0 } = of.list ?? {}
      checkText(block.text, beside, of)
      assertThat(block.rows.length >= Math.max(2, min) && block.rows.length <= max, 'a list has as many rows as may be')
      assertThat(
        block.rows.every(({ label }) => label.length <= labelMax),
        'rows are short enough',
      )
      assertThat(
        block.rows.every(({ description = '' }) => description.length <= descriptionMax),
        'descriptions are too',
      )
      return
    }
    case 'times':
      checkText(block.text, beside, of)
      assertThat(
        block.slots.length >= 2 && block.slots.length <= (of.timePicker?.max ?? 0),
        'a picker has as many slots as may be',
      )
  }
}

function checkText(text: string, max: number, of: Traits): void {
  assertThat(sizeOf(text, of.text.unit) <= max, `text of ${text.length} is longer than ${max}: ${JSON.stringify(text)}`)
  assertThat(text.isWellFormed(), `no pair is parted in ${JSON.stringify(text)}`)
}

function checkChips(chips: readonly RenderedChip[] | undefined, { chips: room, ...of }: Traits): void {
  if (!chips) return
  assertThat(room !== undefined && chips.length >= room.min && chips.length <= room.max, 'as many chips as may be')
  checkRow(chips, room!.kinds, room!.labelMax, of)
  assertThat(
    chips.length === 1 || !chips.some(({ kind }) => room!.alone?.includes(kind)),
    'chips that have to be alone are alone',
  )
}

function checkRow(
  chips: readonly RenderedChip[],
  kinds: readonly string[],
  labelMax: number,
  of: Pick<Traits, 'text'>,
): void {
  assertThat(new Set(chips.map(({ label }) => label)).size === chips.length, 'chips are distinct')
  for (const { kind, label } of chips) {
    assertThat(kinds.includes(kind), `chips of kind ${kind} exist here`)
    assertThat(label.length <= labelMax && label.isWellFormed(), `${label} is at most ${labelMax} long`)
    assertThat(of.text.encoding === 'unicode' || label !== '…', 'no ellipsis where it costs')
  }
}

function checkCard(card: Extract<Block, { kind: 'card' }>['card'], of: Traits): void {
  const room = of.card
  assertThat(room !== undefined, 'cards exist here')
  if (!room) return
  assertThat((card.title ?? '').length <= room.titleMax, 'the title is short enough')
  assertThat(sizeOf(card.description ?? '', of.text.unit) <= room.descriptionMax, 'the description is short enough')
  assertThat((card.chips ?? []).length <= room.chipsMax, 'a card has as many chips as may be')
  checkRow(card.chips ?? [], room.chipKinds, room.chipLabelMax, of)
  assertThat(!room.needsMedia || card.mediaUrl !== undefined, 'a card has its picture')
  assertThat(
    !room.needsTitle || (card.title !== undefined && Object.keys(card).length > 1),
    'a card has its title and more',
  )
}

t.test('Chips that disappear with the next message are below the last one', async () => {
  always(({ blocks }, _, of) => {
    if (!of.chips?.whileNewest) return
    for (const block of blocks.slice(0, -1))
      assertThat(!('chips' in block) || !block.chips, 'no chips before the last block')
  })
})

t.test('Every reply has a tap, a number, or the YES or NO of a closing sentence', async () => {
  always((rendering, each, of) => {
    const answers = new Set([
      ...tappedIn(rendering.blocks),
      ...rendering.numbered,
      ...answeredInWords(rendering, each, of),
    ])
    for (const [index, tap] of tapsOf(each).entries()) {
      assertThat(tap.kind !== 'reply' || answers.has(index), `tap ${index} ${JSON.stringify(tap)} can be answered`)
    }
  })
})

function tappedIn(blocks: readonly Block[]): number[] {
  return blocks
    .flatMap((block): (number | undefined)[] => {
      if (block.kind === 'native') return []
      if (block.kind === 'list') return block.rows.map(({ tap }) => tap)
      if (block.kind === 'times') return block.slots.map(({ tap }) => tap)
      const cards = block.kind === 'card' ? [block.card] : block.kind === 'carousel' ? block.cards : []
      return [...(block.chips ?? []), ...cards.flatMap(({ chips = [] }) => chips)].map(({ tap }) => tap)
    })
    .filter((tap) => tap !== undefined)
}

/**
 * The taps that need no number, because a sentence of the rendering takes YES or NO for them, or nobody can answer
 * them.
 */
function answeredInWords({ blocks }: Rendering, { parts }: ContentMessage, of: Traits): number[] {
  const text = blocks
    .map((block) => ('text' in block ? block.text : ''))
    .join('\n')
    .replace(/\s+/g, ' ')
  const position: number[] = []
  let index = 0
  const visit = (part: Part) => {
    const count = tapsOf({ parts: [part] }).length
    const all = Array.from({ length: count }, (_, at) => index + at)
    if (part.type === 'native' && part.channel !== of.channel) return part.fallback.forEach(visit)
    // Its payload has taps of its own, and a single item on show is not offered.
    if (part.type === 'native') position.push(...all)
    if (part.type === 'showcase' && part.items.length === 1) position.push(index)
    if (part.type === 'confirm' && text.includes(phrases.yesOrNo)) position.push(...all)
    const isLone = (part.type === 'ask.choice' || part.type === 'ask.time') && count === 1
    if (isLone && text.includes(phrases.yesToChoose)) position.push(index)
    index += count
  }
  parts.forEach(visit)
  return position
}

t.test('Numbers run through the whole message, each once and at the start of its line', async () => {
  always(({ blocks, numbered }, each) => {
    const taps = tapsOf(each)
    assertThat(new Set(numbered).size === numbered.length, 'no tap has two numbers')
    assertThat(
      numbered.every((tap, at) => at === 0 || tap > numbered[at - 1]!),
      'numbers follow the order of the message',
    )
    const text = blocks
      .flatMap((block) => {
        if (block.kind === 'card') return [block.card.description ?? '']
        if (block.kind === 'carousel') return block.cards.map(({ description = '' }) => description)
        return 'text' in block ? [block.text ?? ''] : []
      })
      .join('\n')
    for (const [at, tap] of numbered.entries()) {
      const head = new RegExp(`^${at + 1}\\. `, 'm')
      assertThat(head.test(text), `${at + 1} for ${taps[tap]?.label} is in ${text}`)
    }
  })
})

t.test('Truncated labels stay distinct', async () => {
  always(({ blocks }, each) => {
    const whole = new Set([...labelsOf(each, reader), ...Object.values(phrases)].map(oneLine))
    for (const block of blocks) {
      const choices = block.kind === 'list' ? block.rows : 'chips' in block ? (block.chips ?? []) : []
      const labels = choices.map(({ label }) => label)
      for (const cut of labels.filter((label) => !whole.has(label))) {
        assertThat(labels.indexOf(cut) === labels.lastIndexOf(cut), `${cut} occurs once`)
      }
    }
  })
})

t.test('The same message, channel and reader always give the same rendering', async () => {
  always((rendering, each, of) => {
    assertThat(
      JSON.stringify(render(structuredClone(each), of, reader)) === JSON.stringify(rendering),
      'the same result',
    )
  })
})
