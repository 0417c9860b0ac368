/** The search for what a channel shows: it finds what a plain search finds, in steps that grow with the text alone. */
import fc from 'fast-check'
import t from 'tap'
import { createTextSearch } from '../../../core/render/textsearch.js'

const anyWords = /[\p{L}\p{N}\p{M}\p{So}\p{Sc}]+/gu
const wordsIn = (text: string): readonly string[] => text.match(anyWords) ?? []

/** The search as it is meant, by the means of the language, which may take quadratic time. */
function plainSearch(text: string, content: string, from: number): number {
  if (content.startsWith(text, from) || content.startsWith(text, from + 1)) return from + text.length
  let reached = from
  for (const word of wordsIn(text)) {
    const position = content.indexOf(word, reached)
    if (position < 0) return wordsIn(content.slice(from)).join('').includes(wordsIn(text).join('')) ? from : -1
    reached = position + word.length
  }
  return reached
}

const few = (unit: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...unit), { maxLength }).map((units) => units.join(''))
const alphabets = [
  ['a', 'b', ' ', '\n', '-'],
  ['a', 'é', '👍', '\u0301', ' ', '*'],
  ['a'.repeat(40), 'b', '\n'],
  ['ab'.repeat(20), 'a', 'ש', ' '],
]

t.test('A text is found where a plain search finds it, even across page breaks', async () => {
  const searchCase = fc
    .constantFrom(...alphabets)
    .chain((alphabet) => fc.record({ content: few(alphabet, 12), texts: fc.array(few(alphabet, 5), { maxLength: 4 }) }))
  fc.assert(
    fc.property(searchCase, fc.boolean(), ({ content, texts }, cuts) => {
      const searched = cuts
        ? `${content}${texts.map((text) => text.replace(/(.{50})/gsu, '$1\n')).join('\n')}`
        : content
      const search = createTextSearch(searched)
      let from = 0
      for (const text of texts) {
        const end = search.endOf(text, from)
        if (end !== plainSearch(text, searched, from))
          throw new Error(`${JSON.stringify(text)} in ${JSON.stringify(searched)}`)
        from = Math.max(from, Math.min(end, searched.length))
      }
    }),
    { numRuns: 3_000 },
  )
})

t.test('A search takes time in proportion to the text, for any text', async (t) => {
  const cut = (text: string) => text.replace(/(.{1000})/gsu, '$1\n')
  const shapes: Record<string, (length: number) => string> = {
    'one long word': (length) => 'a'.repeat(length),
    'one long word beyond ASCII': (length) => 'é'.repeat(length),
    'a long word that nearly repeats itself': (length) => `${'a'.repeat(length / 4 - 1)}b`.repeat(4),
    'words of one letter': (length) => 'a '.repeat(length / 2),
    'words of some letters': (length) => `${'a'.repeat(40)} `.repeat(length / 41),
  }
  for (const [name, shape] of Object.entries(shapes)) {
    for (const length of [4_000, 16_000, 64_000]) {
      const text = shape(length)
      const search = createTextSearch(cut(text))
      t.ok(search.endOf(text, 0) >= 0, `${name} is found`)
      t.ok(search.steps < 70 * text.length, `${name}: ${search.steps} steps for ${text.length} characters`)
      const without = createTextSearch(cut(text))
      t.equal(without.endOf(`${text}c`, 0), -1)
      t.ok(without.steps < 70 * text.length, `${name} that is not there: ${without.steps} steps`)
    }
  }
})
