/** AML that is almost right: compiling it gives a message that is valid, or problems that have a place in the text. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { validateMessage } from '../../../core/amf/index.js'
import { compile, compileWithSteps } from '../../../core/aml/compiler.js'
import type { AmlProblem } from '../../../core/aml/contract.js'
import { amf as limits } from '../../../core/limits/index.js'
import { print, sayable } from '../aml/printer.js'
import { mutateText, type Target } from './fuzz.js'

const written = [
  'Hello **you**, [a link](https://a.example)\n\n- one\n- two',
  'Hi [[chips: Yes | No = nope | Site -> https://a.example | Call -> tel:+14155550100]] there',
  '[[ask.time #t | When?\na = 2030-05-17T14:30:00+02:00 ~ Friday\nb = 2020-01-01T00:00:00Z\n]]',
  '[[ask.choice #c | Which?\nx = X ~ about x\ny = Y\n]] [[confirm #d | Sure?\nPrice: 12\n]]',
  '[[carousel\nOne\nmedia: image:one\n---\ntitle: Two\nchips: a | b\n]]',
  '[[card | A\ndescription: b\nmedia: https://a.example/b.png\n]]\n[[media: image:x | alt]]',
  '[[showcase #s | Look\na = A ~ b ~ https://a.example/c.png\n]]\n[[template: t]][[things: a, b]][[collection: c]]',
  '[[place: Us | 1.5,2.5]][[contact: Ann | +1 415 | a@b.example]][[signal: typing]]',
  '[[event: A | 2030-01-01T10:00:00+01:00 | 2030-01-01T11:00:00+01:00 | Europe/Paris]]\\[[literal]]',
  '[[signal: typing]]',
]
const printed = fc.sample(sayable, { numRuns: 80, seed: 1 }).map(({ message }) => print(message))
const texts = [...written, ...printed]
const tokens = [
  ...'[[ ]] \\[[ | = ~ : # -> --- \n \r\n \\ [ ] \0'.split(' '),
  ...'chips card carousel ask.time ask.choice ask.location confirm showcase media place contact event signal'.split(
    ' ',
  ),
  ...[
    ' ~ ',
    ' ',
    '[[chips: ',
    '\n]]\n',
    '[[confirm #a | b]]',
    'image:',
    '2030-02-30T10:00:00Z',
    '+05:17',
    '\ud800',
    '😀',
    'x'.repeat(300),
  ],
]

export interface AmlInput {
  readonly aml: string
  readonly managed: boolean
  readonly zone: string
}

export const amlTarget: Target<AmlInput> = {
  name: 'aml',
  draw(rng) {
    let aml = rng.pick(rng.chance(0.5) ? written : printed)
    for (let times = rng.below(5); times > 0; times--) aml = mutateText(rng, aml, tokens, texts)
    if (rng.chance(0.02)) aml = Array.from({ length: rng.below(60) }, () => rng.pick(tokens)).join('')
    return { aml, managed: rng.chance(0.3), zone: rng.pick(['UTC', 'Europe/Paris', 'Nowhere/Land']) }
  },
  check({ aml, managed, zone }) {
    const options = { managed, zone, now: 1_900_000_000_000 }
    const { compiled, steps } = compileWithSteps(aml, options)
    assert.ok(steps <= 6 * aml.length + 20, 'it takes few steps')
    assert.deepEqual(compile(aml, options), compiled, 'it compiles the same each time')
    const { message, problems, warnings, references } = compiled
    assert.equal(message === undefined, problems.length > 0)
    const rows = aml.split('\n')
    for (const each of [...problems, ...warnings]) checkPosition(each, rows)
    assert.ok(problems.length <= limits.problems && warnings.length <= limits.problems)
    assert.ok(!references || managed)
    if (message && !references)
      assert.ok('message' in validateMessage(JSON.parse(JSON.stringify(message))), 'it is valid')
    return message !== undefined
  },
}

function checkPosition({ line, column, code, message }: AmlProblem, rows: readonly string[]): void {
  assert.ok(line >= 1 && line <= rows.length && column >= 1 && column <= (rows[line - 1]?.length ?? 0) + 1)
  assert.ok(code.length > 0 && message.length > 0 && message.length < 1_000)
}
