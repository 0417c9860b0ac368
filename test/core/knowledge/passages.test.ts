/** Texts cut into passages, and what search takes for a word. */
import fc from 'fast-check'
import t from 'tap'
import { passagesOf } from '../../../core/knowledge/passages.js'
import { tokenize } from '../../../core/knowledge/tokenizer.js'
import { knowledge as limits } from '../../../core/limits/index.js'

const bare = (text: string) => text.replace(/\s+/g, '')
const sentence = 'A sentence of some length stands here, and it goes on. '

const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(
        '\n\n',
        '\n',
        '\r\n\r\n',
        '# A heading\n\n',
        '。',
        ' ',
        '\t',
        '😀'.repeat(700),
        'x'.repeat(2_500),
      ),
      fc.nat({ max: 60 }).map((times) => sentence.repeat(times)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

t.test('Only space is lost, no text is repeated, and no passage is too long', async (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const passages = passagesOf(text)
      t.equal(bare(passages.join('')), bare(text))
      t.ok(passages.every((passage) => passage.trim() !== '' && passage.length <= limits.passageChars))
      t.ok(
        passages.every((passage) => passage.isWellFormed()),
        'no letter is cut in two',
      )
    }),
    { numRuns: 200 },
  )
})

t.test('Passages are split between paragraphs, then lines, then sentences, then words', async (t) => {
  const paragraph = sentence.repeat(10).trim()
  t.same(passagesOf(`${paragraph}\n\n${paragraph}`), [paragraph, paragraph])
  t.same(passagesOf('One.\n\nTwo.\n\n\n\nThree.'), ['One.\n\nTwo.\n\nThree.'], 'short ones are joined')
  for (const piece of passagesOf(sentence.repeat(100))) t.match(piece, /\.$/, 'a sentence is whole')
  const words = Array.from({ length: 500 }, (_, nth) => `word${nth}`)
  t.same(
    passagesOf(words.join(' ')).flatMap((passage) => passage.split(' ')),
    words,
    'a word is whole',
  )
})

t.test('A heading begins a passage with the text below it', async (t) => {
  const opening = sentence.repeat(6).trim()
  t.same(passagesOf(`${opening}\n\n# Prices\n\nThirty.`), [opening, '# Prices\n\nThirty.'])
  t.same(passagesOf('Hello.\n\n# Prices\n\nThirty.').length, 1, 'unless there is hardly anything before it')
})

t.test('Words are equal in any case, accents, width and punctuation', async (t) => {
  t.same(tokenize('Crème BRÛLÉE, ﬁne: No.5!'), ['creme', 'brulee', 'fine', 'no', '5'])
  t.same(tokenize('Привет, ёлка'), ['привет', 'елка'])
  t.same(tokenize('ΟΔΟΣ, οδός'), ['οδοσ', 'οδοσ'], 'a sigma is one letter in every position')
  t.same(tokenize('営業時間 9'), ['営業', '業時', '時間', '9'], 'pairs of characters in scripts without spaces')
  t.same(tokenize('किताब'), ['किताब'], 'vowels that are marks belong to the word')
  t.equal(tokenize('y'.repeat(5_000))[0]!.length, limits.wordChars)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      t.same(tokenize(text.toUpperCase().toLowerCase()), tokenize(text.toUpperCase()))
      t.ok(tokenize(text).every((word) => word !== '' && [...word].length <= limits.wordChars))
    }),
  )
})
