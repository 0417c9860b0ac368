/** Operator patterns: what they match, what is refused, and that none of them is slow. */
import fc from 'fast-check'
import t from 'tap'
import { isPattern, readExpression, readPattern, searchedText } from '../../../core/agent/pattern/index.js'
import { machineOf } from '../../../core/agent/pattern/machine.js'
import { matchesIn } from '../../../core/agent/pattern/search.js'
import { readTree } from '../../../core/agent/pattern/tree.js'
import { agentLimits } from '../../../core/limits/index.js'

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
  '^[a-c]{1,3}$',
  '^a[b-c]*$',
  '^ab\\w{2,}$',
  '^[a-c]{2}[^b]$',
  '^a?$',
  '^(a)b+$',
  '^a+b$',
  '^.+$',
  '^$',
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

t.test('An expression matches the same texts as the language’s own engine', async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '-', '.', 'A'), maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...sources), fc.constantFrom('', 'i', 'm', 's', 'is'), text, (source, flags, given) => {
      const read = readExpression(source, flags)
      if (!isPattern(read)) throw new Error(`${source} ${read.problem}`)
      return read.matches(given) === new RegExp(source, flags).test(given)
    }),
    { numRuns: 3_000 },
  )
})

t.test('An expression that is invalid or cannot run in linear time is refused with a reason', async (t) => {
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
    ['/a/y', /flag y/],
    ['/a/gy', /flag y/],
    [`/${'('.repeat(60)}a${')'.repeat(60)}/`, /inside each other/],
  ]
  for (const [written, problem] of refused) t.match(readPattern(written), { problem }, written)
})

/** How often a character is held against a state, in a text in which nothing is found. */
function looksAt(source: string, text: string): number {
  const tree = readTree(source, { ignoreCase: false, dotAll: false })
  const machine = 'problem' in tree ? undefined : machineOf(tree)
  if (!machine) throw new Error(`${source} is not read`)
  let looks = 0
  const states = machine.states.map((state) => {
    if (state.kind !== 'char') return state
    const test = (char: string) => {
      looks++
      return state.test(char)
    }
    return { ...state, test }
  })
  if (matchesIn({ ...machine, states }, text, false)) throw new Error(`${source} is found`)
  if (looks > states.length * (text.length + 1)) throw new Error(`${source} is looked at ${looks} times`)
  return looks
}

t.test('R36: an expression with catastrophic backtracking elsewhere takes linear time here', async (t) => {
  for (const source of ['^(a+)+$', '^(a|aa)+$', '^(.*a){12}$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
    const read = readExpression(source)
    t.ok(isPattern(read) && read.matches(`${'ax'.repeat(10)}`) !== undefined)
    const [once, twice] = [2_000, 4_000].map((length) => looksAt(source, `${'a'.repeat(length)}!`))
    t.ok(twice! < 2.1 * once!, `${source}: ${once} looks, and ${twice} at twice the text`)
  }
})

t.test('A search runs in small steps, and its cached state sets are bounded', async (t) => {
  const { stepsPerAsk } = agentLimits.patternSearch
  let seed = 1
  const text = Array.from({ length: 8_000 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % 65_536 < 32_768 ? 'a' : 'b'
  }).join('')
  for (const source of ['(a|b)*a(a|b){100}c', '((a|aa){1,30}){1,3}c', '(.*a){20}c', '(a?){80}d']) {
    const read = readExpression(source)
    if (!isPattern(read)) throw new Error(read.problem)
    const search = read.search(searchedText(text))
    let steps = 0
    for (let slice = search.next(); ; slice = search.next()) {
      if (slice.done) break
      t.ok(slice.value <= stepsPerAsk + read.states, `${source}: ${slice.value} steps in one go`)
      steps += slice.value
    }
    t.ok(steps <= (read.states + 1) * (text.length + 1), `${source}: ${steps} steps`)
  }
})

t.test('An expression whose states repeat costs one step per character, however many states it has', async (t) => {
  for (const source of ['((a|aa){1,30}){1,3}c', '(.*a){20}b', '(a?){80}d', '\\b(one|two|three)\\b']) {
    const [once, twice] = [2_000, 4_000].map((length) => looksAt(source, 'a'.repeat(length)))
    t.equal(once, twice, source)
  }
})

t.test('A search in slices finds what a search in one go finds', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '👍'), maxLength: 12 })
  fc.assert(
    fc.property(
      fc.constantFrom(...sources.map((source) => `/${source || 'a'}/m`), 'ab', 'B c'),
      text,
      (written, given) => {
        const read = readPattern(written)
        if (!isPattern(read)) throw new Error(`${written} ${read.problem}`)
        const search = read.search(searchedText(given))
        let slice = search.next()
        while (!slice.done) slice = search.next()
        return slice.value === read.matches(given)
      },
    ),
    { numRuns: 1_000 },
  )
})

t.test('No text makes the parser throw', async () => {
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
