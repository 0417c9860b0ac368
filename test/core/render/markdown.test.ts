/** The CommonMark subset: read once, written in four markups, in linear time. */
import fc from 'fast-check'
import t from 'tap'
import type { Markup } from '../../../core/channel/traits.js'
import { inline } from '../../../core/render/inline.js'
import { parse } from '../../../core/render/markdown.js'
import { write } from '../../../core/render/writers.js'

const markups = ['plain', 'commonmark', 'whatsapp', 'slack'] as const satisfies Markup[]

function written(source: string): Record<Markup, string> {
  const texts = markups.map((markup) => [markup, write(parse(source), markup).replaceAll('\u200b', '␣')])
  return Object.fromEntries(texts) as Record<Markup, string>
}

const same = (text: string) => Object.fromEntries(markups.map((markup) => [markup, text]))

t.test('Bold, italic and struck text is written in the markup of each channel', async (t) => {
  t.same(written('**a** *b* _c_ ~~d~~ __e__'), {
    plain: 'a b c d e',
    commonmark: '**a** *b* *c* ~~d~~ **e**',
    whatsapp: '*a* _b_ _c_ ~d~ *e*',
    slack: '*a* _b_ _c_ ~d~ *e*',
  })
  t.same(written('***a*** and **b *c* d**').plain, 'a and b c d')
  t.same(written('***a*** and **b *c* d**').whatsapp, '*_a_* and *b _c_ d*')
})

t.test('A link is its label and its URL', async (t) => {
  t.same(written('see [our menu](https://a.example/m_(1)?x=1&y=2) now'), {
    plain: 'see our menu: https://a.example/m_(1)?x=1&y=2 now',
    commonmark: 'see [our menu](https://a.example/m_\\(1\\)?x=1&y=2) now',
    whatsapp: 'see our menu: https://a.example/m_(1)?x=1&y=2 now',
    slack: 'see <https://a.example/m_(1)?x=1&amp;y=2|our menu> now',
  })
  t.equal(written('[https://a.example](https://a.example)').plain, 'https://a.example', 'and once if they are equal')
  t.equal(written('**[a](https://b.example)**').whatsapp, '*a: https://b.example*')
})

t.test('Only URLs that people may open are links', async (t) => {
  for (const source of [
    '[a](javascript:alert)',
    '[a](/b)',
    '[a]( https://x.example)',
    '[a](https://x.example "t")',
    '[](https://x.example)',
  ]) {
    t.equal(written(source).plain, source)
  }
})

t.test('Lists keep their bullets, numbers and depth', async (t) => {
  t.equal(written('* a\n+ b\n  - c\n\n3. d\n4) e').plain, '- a\n- b\n  - c\n\n3. d\n4) e')
  t.equal(written('- a\n\nafter').commonmark, '- a\n\nafter')
})

t.test('Paragraphs and line breaks stay', async (t) => {
  t.equal(written('a  \nb\\\nc\nd\n\n\ne').plain, 'a\nb\nc\nd\n\n\ne')
  t.equal(written('a\nb').commonmark, 'a  \nb', 'with the blanks that make CommonMark keep them')
})

t.test('Escaped characters are plain text on every channel', async (t) => {
  t.same(written('\\*a\\* \\_b\\_ \\[c\\]'), {
    plain: '*a* _b_ [c]',
    commonmark: '\\*a\\* \\_b\\_ \\[c\\]',
    whatsapp: '␣*␣a␣*␣ ␣_␣b␣_␣ [c]',
    slack: '␣*␣a␣*␣ ␣_␣b␣_␣ [c]',
  })
  t.equal(written('1\\. a').commonmark, '1\\. a')
  t.equal(written('a & <b>').slack, 'a &amp; &lt;b&gt;')
})

t.test('Text that only resembles markup stays unchanged', async (t) => {
  t.same(written('snake_case_name').plain, 'snake_case_name')
  t.same(written('2*3*4').plain, '2*3*4')
  t.same(written('about ~5 or ~6').plain, 'about ~5 or ~6')
  t.same(written('a * b'), { ...same('a * b'), commonmark: 'a \\* b', whatsapp: 'a ␣*␣ b', slack: 'a ␣*␣ b' })
  t.equal(written('https://a.example/~b/*c').whatsapp, 'https://a.example/~b/*c', 'an address is not pulled apart')
})

t.test('Markup inside a word is left out where a channel supports it only around words', async (t) => {
  t.equal(written('un**believ**able').whatsapp, 'unbelievable')
  t.equal(written('un**believ**able').commonmark, 'un**believ**able')
})

t.test('Text written in CommonMark is parsed to the same text', async () => {
  const source = fc.array(
    fc.constantFrom(
      'a',
      'b c',
      ' ',
      '*',
      '_',
      '~~',
      '[',
      ']',
      '(https://x.example)',
      '\\',
      '`',
      '<',
      '&',
      '#',
      '!',
      '1.',
    ),
    {
      maxLength: 25,
    },
  )
  fc.assert(
    fc.property(source, (pieces) => {
      const words = pieces.join('').trim()
      const literal = [{ marker: '', depth: 0, spans: [{ text: words }], isContinuation: false }]
      const roundTrip = inline(write(literal, 'commonmark')).map(({ text, link }) => (link ? `LINK ${link.url}` : text))
      if (roundTrip.join('') !== words) throw new Error(`${words} became ${roundTrip.join('')}`)
    }),
    { numRuns: 1_000 },
  )
})

t.test('Hostile text takes no longer than other text of its length', async (t) => {
  const repeated = [
    '**a*',
    '[a](',
    '*_',
    '~~a~~',
    '](',
    '\\',
    '[',
    '_a_*',
    '(((',
    '![',
    '[a](https://',
    '- ',
    '`',
    '**a** ',
  ]
  const tookMs = (text: string) => {
    const before = process.hrtime.bigint()
    for (const markup of markups) write(parse(text), markup)
    return Number(process.hrtime.bigint() - before) / 1e6
  }
  // What else the machine does only ever adds to a time, so the least of many is what the text itself takes. Eight
  // times
  // as long a text would take sixty-four times as long if each character looked at all the others.
  for (const piece of repeated) {
    const text = (length: number) => piece.repeat(length / piece.length)
    tookMs(text(1_000))
    let [short, long] = [Infinity, Infinity]
    const isSteep = () => long >= Math.max(short, 1) * 40
    for (let tries = 0; tries < 3 || (tries < 60 && isSteep()); tries++) {
      short = Math.min(short, tookMs(text(2_000)))
      long = Math.min(long, tookMs(text(16_000)))
    }
    t.notOk(isSteep(), `${piece}: ${short.toFixed(1)} ms for 2,000 and ${long.toFixed(1)} ms for 16,000 characters`)
  }
})
