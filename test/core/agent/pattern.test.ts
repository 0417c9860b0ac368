/** Operator patterns: what they match, what is refused, and that none of them is slow. */
import fc from 'fast-check'
import t from 'tap'
import { isPattern, readExpression, readPattern } from '../../../core/agent/pattern/index.js'

function matches(written: string, text: string): boolean {
  const read = readPattern(written)
  if (!isPattern(read)) throw new Error(read.problem)
  return read.matches(text)
}

t.test('A plain phrase is a case-insensitive substring', async (t) => {
  t.ok(matches('Free Trial', 'start your FREE trial today'))
  t.notOk(matches('free trial', 'freetrial'))
  t.ok(matches('50% (off)', 'get 50% (OFF) now'), 'signs of expressions are only signs')
  t.match(readPattern('  '), { problem: /empty/ })
})

const sources = [
  'abc',
  'a|bc',
  '^a',
  'c$',
  '^abc$',
  'a.c',
  '[a-c]+',
  '[^a-c]',
  'a{2}',
  'a{2,}',
  'a{1,3}b',
  '(ab)+',
  '(?:ab|c)*c',
  '\\d+',
  '\\w\\s\\w',
  '\\bab\\b',
  'a\\Bb',
  '(a*)*b',
  '(a|a)*c',
  'a+?b',
  '[\\d-]',
  '[-a]',
  '\\.',
  '\\x61',
  '\\u0062',
  '(?<word>a)b',
  'a?b?c?',
  '',
  '(|a)b',
  '[\\s\\S]',
  '(a{0,2}){2}',
]

t.test('An expression matches what the language’s own engine matches', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '-', '.', 'A'), maxLength: 12 })
  fc.assert(
    fc.property(fc.constantFrom(...sources), fc.constantFrom('', 'i', 'm', 's', 'is'), text, (source, flags, given) => {
      const read = readExpression(source, flags)
      if (!isPattern(read)) throw new Error(`${source} ${read.problem}`)
      return read.matches(given) === new RegExp(source, flags).test(given)
    }),
    { numRuns: 3_000 },
  )
})

t.test('What cannot run in linear time, or cannot be read, is refused with a reason', async (t) => {
  const refused: [string, RegExp][] = [
    ['/(a)\\1/', /refers back/],
    ['/(?=a)b/', /ahead or behind/],
    ['/(?<!a)b/', /ahead or behind/],
    ['/(((a{100}){100}){100})/', /too large/],
    ['/a{1001}/', /too large/],
    ['/(a/', /not closed/],
    ['/a)/', /closes nothing/],
    ['/[a/', /not closed/],
    ['/*a/', /repeats nothing/],
    ['/a**/', /repeats a repeat/],
    ['/a{3,1}/', /down to/],
    ['/a{x}/', /no count/],
    ['/[z-a]/', /goes nowhere/],
    ['/\\p{Nonsense}/u', /property/],
    ['/a/q', /flags/],
    [`/${'('.repeat(60)}a${')'.repeat(60)}/`, /inside each other/],
  ]
  for (const [written, problem] of refused) t.match(readPattern(written), { problem }, written)
})

t.test('An expression that ruins other engines takes linear time here', async (t) => {
  const started = performance.now()
  for (const source of ['^(a+)+$', '^(a|aa)+$', '^(.*a){12}$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
    const read = readExpression(source)
    t.ok(isPattern(read) && read.matches(`${'ax'.repeat(10)}`) !== undefined)
    if (isPattern(read)) read.matches(`${'a'.repeat(20_000)}!`)
  }
  t.ok(performance.now() - started < 3_000)
})

t.test('No text makes the reader throw', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab()[]{}*+?|^$\\.-,:<>=!/0123dwsbpux'), maxLength: 20 }),
      (written) => {
        const read = readPattern(`/${written}/i`)
        return isPattern(read) ? typeof read.matches('aab12 ') === 'boolean' : typeof read.problem === 'string'
      },
    ),
    { numRuns: 3_000 },
  )
})
