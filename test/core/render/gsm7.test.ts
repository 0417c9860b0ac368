/** What a text costs as SMS: the published results of a carrier’s billing, and the rules between them. */
import fc from 'fast-check'
import t from 'tap'
import { foldLookalikes, isGsm7, segmentsOf } from '../../../core/render/gsm7.js'

t.test('Texts take as many segments as carriers bill for them', async (t) => {
  const vectors: [string, string, number][] = [
    ['a'.repeat(160), 'gsm7', 1],
    ['a'.repeat(161), 'gsm7', 2],
    [`${'a'.repeat(80)}\n${'a'.repeat(79)}`, 'gsm7', 1],
    [`${'a'.repeat(80)}\r\n${'a'.repeat(79)}`, 'gsm7', 2],
    [`${'a'.repeat(200)}\r\n${'a'.repeat(105)}`, 'gsm7', 3],
    [']'.repeat(153), 'gsm7', 3],
    ['é'.repeat(70), 'gsm7', 1],
    ['e\u0301'.repeat(70), 'ucs2', 3],
    ['中'.repeat(70), 'ucs2', 1],
    ['中'.repeat(71), 'ucs2', 2],
    ['😎'.repeat(70), 'ucs2', 3],
  ]
  for (const [text, encoding, segments] of vectors) {
    t.match(segmentsOf(text), { encoding, segments }, `${text.slice(0, 5)}… of ${text.length}`)
  }
  t.same(segmentsOf(`this is a ${']'.repeat(74)}😘`), { encoding: 'ucs2', units: 86, segments: 2 })
})

t.test('A surrogate or escape pair is never split, so a segment may be one unit short', async (t) => {
  t.equal(
    segmentsOf(`${'a'.repeat(152)}]${'a'.repeat(152)}`).segments,
    3,
    'an escaped character at the edge of a segment',
  )
  t.equal(segmentsOf(`${'中'.repeat(66)}😎${'中'.repeat(66)}`).segments, 3, 'a surrogate pair at the edge of a segment')
})

t.test('Only look-alike characters are folded', async (t) => {
  t.equal(foldLookalikes('‘a’ “b” – — … • `c` ＡＢ１！ ½ x\u00a0y\u202fz'), "'a' \"b\" - - ... - 'c' AB1! 1/2 x y z")
  t.equal(foldLookalikes('e\u0301'), 'é', 'an accent joins its letter')
  for (const unchanged of ['ç', 'ã', 'ő', '中', '😀', '→']) t.equal(foldLookalikes(unchanged), unchanged)
})

t.test('Wide forms and combining marks are folded completely', async (t) => {
  t.equal(foldLookalikes('｀'), "'")
  t.equal(foldLookalikes('‹\u0338'), '\u226e')
  t.equal(foldLookalikes('＜\u0338'), '\u226e')
})

t.test('Folding is idempotent, and never makes a text more expensive', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const folded = foldLookalikes(text)
      if (foldLookalikes(folded) !== folded) throw new Error('folding again changes it')
      if (isGsm7(text.normalize('NFC')) && folded !== text.normalize('NFC'))
        throw new Error('what was cheap is changed')
    }),
    { numRuns: 500 },
  )
})

t.test('A character of ASCII has the same plain form alone and beside others', async (t) => {
  for (let code = 0; code < 128; code += 1) {
    const character = String.fromCharCode(code)
    const beside = foldLookalikes(`${character}é`)
    t.equal(foldLookalikes(character), beside.slice(0, -1), JSON.stringify(character))
  }
})
