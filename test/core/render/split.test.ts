/** Long texts and long labels: where they are divided, and what never is. */
import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage, Part } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { Traits } from '../../../core/channel/traits.js'
import { render } from '../../../core/render/index.js'
import { cutLabels } from '../../../core/render/labels.js'
import { parse } from '../../../core/render/markdown.js'
import { cutWord, graphemes, sizeOf, splitPages } from '../../../core/render/split.js'

const reader = { locale: 'en-US', zone: 'UTC' }
const short = (max: number, more: Partial<Traits> = {}): Traits => ({
  ...traitsOf('aiChatE'),
  text: { max, unit: 'characters', encoding: 'unicode' },
  ...more,
})
const pages = (text: string, traits: Traits) => splitPages(parse(text), traits)

t.test('Text that fits is one page', async (t) => {
  t.same(pages('a'.repeat(40), short(40)), ['a'.repeat(40)])
})

t.test('Text is split between paragraphs, then lines, then sentences, then words', async (t) => {
  const block = 'one two three four five'
  t.same(pages(`${block}\n\n${block}\n\n${block}`, short(60)), [`${block}\n\n${block}`, block])
  t.same(pages(`${block}\n${block}\n${block}`, short(60)), [`${block}\n${block}`, block])
  t.same(pages('This is the first one. This is the second, which goes on and on.', short(45)), [
    'This is the first one.',
    'This is the second, which goes on and on.',
  ])
  t.same(pages('alpha beta gamma delta epsilon zeta eta theta', short(25)), [
    'alpha beta gamma delta',
    'epsilon zeta eta theta',
  ])
})

t.test('A link is not split if it fits a page', async (t) => {
  const link = 'https://a.example/a-rather-long/path/to/somewhere'
  for (const page of pages(`some words before it ${link} and some words after it`, short(60))) {
    t.ok(!page.includes('https') || page.includes(link), page)
  }
  t.same(pages('before it [a label of words](https://a.example/x) and after it', short(48, { markup: 'commonmark' })), [
    'before it',
    '[a label of words](https://a.example/x) and',
    'after it',
  ])
})

t.test('Markup is closed on one page and reopened on the next', async (t) => {
  t.same(pages('**alpha beta gamma delta epsilon zeta**', short(26, { markup: 'commonmark' })), [
    '**alpha beta**',
    '**gamma delta**',
    '**epsilon zeta**',
  ])
})

t.test('An entry of a list stays with its description', async (t) => {
  const options = ['a', 'b', 'c'].map((id) => ({ id, label: `Option ${id}`, description: 'twenty characters...' }))
  const message: ContentMessage = {
    spec: 'amf/1',
    parts: [{ type: 'ask.choice', intentId: 'x', prompt: 'Which?', options }],
  }
  const { blocks } = render(message, short(80), reader)
  for (const block of blocks) {
    if (block.kind !== 'text') continue
    t.equal(block.text.match(/Option/g)?.length ?? 0, block.text.match(/twenty/g)?.length ?? 0, block.text)
  }
  t.ok(blocks.length > 1)
})

t.test('Length is counted in bytes where the channel counts bytes', async (t) => {
  t.equal(sizeOf('aé中😀', 'bytes'), 1 + 2 + 3 + 4)
  const made = pages('中'.repeat(400), traitsOf('socialC'))
  t.ok(made.every((page) => Buffer.byteLength(page) <= 1_000))
  t.equal(made.join(''), '中'.repeat(400))
})

t.test('No character is split, on a page of any width', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
      fc.integer({ min: 30, max: 60 }),
      (text, max) => {
        for (const page of pages(text, short(max))) {
          if (!page.isWellFormed() && text.isWellFormed()) throw new Error('a pair was parted')
          if (page.length > max) throw new Error(`${page.length} is more than ${max}`)
        }
      },
    ),
    { numRuns: 300 },
  )
})

t.test('Only the last page of a long text has to leave room for chips', async (t) => {
  const prompt = `${'word '.repeat(100)}\n\nWhich one?`
  const part: Part = { type: 'confirm', intentId: 'x', prompt }
  const { blocks } = render({ spec: 'amf/1', parts: [part] }, traitsOf('vendorMessages'), reader)
  t.match(blocks, [{ kind: 'text' }, { kind: 'text', text: 'Which one?', chips: [{ label: 'Yes' }, { label: 'No' }] }])
  t.equal(blocks.length, 2)
})

t.test('Labels are truncated with an ellipsis if it is free, and stay distinct', async (t) => {
  const long = ['A very long label indeed, first', 'A very long label indeed, second', 'Short']
  t.same(cutLabels(long, 20, 'unicode'), ['A very long label i…', 'A very long label… 2', 'Short'])
  t.same(cutLabels(long, 20, 'gsm7'), ['A very long label in', 'A very long label 2', 'Short'])
  t.same(cutLabels(['Short', 'Also'], 20, 'unicode'), ['Short', 'Also'])
  t.equal(cutLabels(long, 3, 'unicode'), undefined, 'indistinguishable labels are numbered instead')
  t.same(cutLabels(['family 👩‍👩‍👧 of three'], 12, 'unicode'), ['family…'], 'a picture is kept or left out whole')
})

t.test('Chips that look alike are numbered, since people could not tell them apart', async (t) => {
  const renderParts = (parts: Part[], chips?: ContentMessage['chips']) =>
    render({ spec: 'amf/1', parts, ...(chips && { chips }) }, traitsOf('messengerA'), reader)
  const options = ['Table', 'Table', 'Bar'].map((label, index) => ({ id: `o${index}`, label }))
  const question = renderParts([
    { type: 'ask.choice', intentId: 'seat', prompt: 'Where?', options: options.slice(0, 2) },
  ])
  t.same(question, {
    ...question,
    blocks: [{ kind: 'text', text: 'Where?\n1. Table\n2. Table\nReply with a number to choose.' }],
    numbered: [0, 1],
  })
  const same = renderParts([{ type: 'confirm', intentId: 'ok', prompt: 'Sure?', yesLabel: 'Fine', noLabel: 'Fine' }])
  t.match(same.blocks, [{ text: /YES: Fine\nNO: Fine\nReply YES/ }])
  const calls = ['+14155550100', '+14155550101'].map((phone) => ({ label: 'Call', kind: 'dial' as const, phone }))
  const below = renderParts([{ type: 'text', text: 'Hi' }], calls)
  t.match(below.blocks, [{ text: /Call: \+14155550100\nCall: \+14155550101/ }])
  const unlike = renderParts([{ type: 'ask.choice', intentId: 'seat', prompt: 'Where?', options: options.slice(1) }])
  t.match(unlike.blocks, [{ chips: [{ label: 'Table' }, { label: 'Bar' }] }])
})

t.test('More items than a carousel holds become several, none of them with a single card', async (t) => {
  const items = Array.from({ length: 11 }, (_, at) => ({ id: `i${at}`, title: `Item ${at}` }))
  const message: ContentMessage = { spec: 'amf/1', parts: [{ type: 'showcase', intentId: 'x', items }] }
  const { blocks } = render(message, traitsOf('rcs'), reader)
  t.same(
    blocks.map((block) => block.kind === 'carousel' && block.cards.length),
    [6, 5],
  )
})

/** The cut as it is meant, which looks at every character that people see. */
function cutPlainly(word: string, most: number, unit: 'characters' | 'bytes'): string[] {
  const seen = [...graphemes.segment(word)].map(({ segment }) => segment)
  const pieces: string[] = []
  let piece = ''
  for (const each of seen.length > 1 ? seen : [...word]) {
    if (piece !== '' && sizeOf(piece + each, unit) > most) {
      pieces.push(piece)
      piece = ''
    }
    piece += each
  }
  return [...pieces, piece]
}

t.test('A word is split at the same positions as by splitting character by character', async (t) => {
  const units = [
    'a',
    'é',
    'e\u0301',
    '\u0301',
    '👍',
    '👍🏽',
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    '🇩',
    'ש',
    '\u1100\u1161\u11a8',
    'क्षि',
    '\u200d',
    '\u200b',
  ]
  const word = fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 24 }).map((all) => all.join(''))
  fc.assert(
    fc.property(word, fc.integer({ min: 1, max: 20 }), fc.constantFrom('characters', 'bytes'), (text, most, unit) => {
      const [cut, meant] = [cutWord, cutPlainly].map((way) => JSON.stringify(way(text, most, unit)))
      if (cut !== meant) throw new Error(`${cut} is not ${meant}`)
    }),
    { numRuns: 3_000 },
  )
  t.pass()
})
