/** Search among passages: everything is found by what it alone says, and what says it best comes first. */
import fc from 'fast-check'
import t from 'tap'
import { bestHits, indexText, rankPassages } from '../../../core/knowledge/ranking.js'
import { knowledge as limits } from '../../../core/limits/index.js'
import { corpusOf, indexedText } from './textcorpus.js'

const filler = 'the salon is open and the team is glad to help with cuts and colour on any day of the week '

t.test('Every passage is found first by its own rare word', async (t) => {
  // Without the letters of endings, so that no word is a form of another.
  const rare = fc.uniqueArray(fc.stringMatching(/^[a-cfhj-mo-qt-z]{6,12}$/), { minLength: 2, maxLength: 30 })
  fc.assert(
    fc.property(rare, fc.nat({ max: 12 }), (words, times) => {
      const fillerWords = new Set(filler.split(' '))
      const own = words.filter((word) => !fillerWords.has(word))
      const paragraphs = own.map((word) => `${filler.repeat(times + 6)}${word} ${filler}`)
      const half = Math.ceil(paragraphs.length / 2)
      const sources = {
        one: indexedText(paragraphs.slice(0, half).join('\n\n')),
        two: indexedText(paragraphs.slice(half).join('\n\n')),
      }
      for (const word of own) {
        const [first] = rankPassages(`is the ${word} open`, corpusOf(sources), 5)
        const passage = first && sources[first.source as 'one' | 'two'].passages[first.passageIndex]
        t.ok(passage?.includes(word), word)
      }
    }),
    { numRuns: 30 },
  )
})

t.test('A rare word weighs more, and so does a word that occurs often in a passage', async (t) => {
  const sources = {
    a: indexedText('Parking is behind the house.'),
    b: indexedText('The house opens at nine. The house closes at five.'),
    c: indexedText('Parking, parking and more parking.'),
  }
  const ranked = rankPassages('parking house', corpusOf(sources), 10)
  t.same(ranked.map(({ source }) => source).sort(), ['a', 'b', 'c'])
  t.equal(ranked[0]!.source, 'a', 'both words beat one of them')
  t.same(rankPassages('parking', corpusOf(sources), 10).map(({ source }) => source)[0], 'c')
  t.same(rankPassages('zeppelin', corpusOf(sources), 10), [])
  t.same(rankPassages('...', corpusOf(sources), 10), [])
  t.equal(rankPassages('parking house', corpusOf(sources), 1).length, 1)
  t.same(rankPassages('parking', corpusOf({}), 10), [])
})

t.test('Of two equally ranked passages the earlier one comes first', async (t) => {
  const same = indexedText('Parking here.')
  t.same(
    rankPassages('parking', corpusOf({ b: same, a: same }), 10).map(({ source }) => source),
    ['a', 'b'],
  )
})

t.test(
  'The best of many are those of a whole sort, and of equals only as many are asked about as are kept',
  async (t) => {
    const scores = fc.array(fc.nat({ max: 3 }), { maxLength: 40 }).map((all) => Float64Array.from(all))
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), scores),
        fc.integer({ min: 1, max: 8 }),
        (sources, limit) => {
          const isOffered = (passageIndex: number) => passageIndex % 3 !== 0
          const all = Object.entries(sources).flatMap(([source, each]) =>
            [...each].map((score, passageIndex) => ({ source, passageIndex, score })),
          )
          const expected = all
            .filter(({ score, passageIndex }) => score > 0 && isOffered(passageIndex))
            .sort(
              (one, other) =>
                other.score - one.score ||
                (one.source < other.source ? -1 : one.source > other.source ? 1 : 0) ||
                one.passageIndex - other.passageIndex,
            )
          t.same(bestHits(new Map(Object.entries(sources)), limit, isOffered), expected.slice(0, limit))
        },
      ),
    )
    let asked = 0
    const hits = bestHits(new Map([['a', new Float64Array(2_000).fill(1)]]), 24, () => ++asked > 0)
    t.equal(hits.length, 24)
    t.equal(asked, 24)
  },
)

t.test('A text that is too long, or has too many different words, is reported as such', async (t) => {
  const most = limits.wordsPerSource
  const words = (count: number) => Array.from({ length: count }, (_, nth) => nth.toString(36)).join(' ')
  t.match(indexText(words(most)), { passages: [String] })
  t.match(indexText(words(most + 1)), { problem: /20000 different words/ })
  t.match(indexText('x '.repeat(limits.textChars / 2)), { passages: [String] })
  t.match(indexText('x '.repeat(limits.textChars / 2 + 1)), { problem: /more than 262144 characters/ })
})

t.test('A search for fewer passages gives the first ones of a search for more', async (t) => {
  const words = fc.array(fc.constantFrom('heron', 'otter', 'egret', 'ibis', 'the'), { minLength: 1, maxLength: 8 })
  const text = fc
    .array(words, { minLength: 1, maxLength: 12 })
    .map((all) => all.map((each) => each.join(' ').padEnd(900, ' x')).join('\n\n'))
  fc.assert(
    fc.property(text, text, words, fc.integer({ min: 1, max: 8 }), (one, two, query, most) => {
      const corpus = corpusOf({ one: indexedText(one), two: indexedText(two) })
      const all = rankPassages(query.join(' '), corpus, 1_000)
      t.same(rankPassages(query.join(' '), corpus, most), all.slice(0, most))
      t.ok(all.every(({ score }, at) => score > 0 && (at === 0 || all[at - 1]!.score >= score)))
    }),
    { numRuns: 100 },
  )
})
