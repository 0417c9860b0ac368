/** Messages and AML that are almost right are judged as promised. Longer runs: `main.ts`. */
import t from 'tap'
import { amfTarget } from './amf.js'
import { amlTarget } from './aml.js'
import { fuzz, type Target } from './fuzz.js'

const inputs = 20_000
const seed = 1

t.test('AML that is almost correct gives a valid message, or problems with a position', async (t) => {
  const { accepted, failure } = fuzz(amlTarget, { inputs, seed })
  t.same(failure, undefined, `replay: main.js aml --seed ${seed} --only ${failure?.number}`)
  t.ok(accepted > inputs / 20 && accepted < inputs * 0.9, `${accepted} were accepted, others not`)
})

t.test('A message that is almost correct is returned, or its faults are named by existing paths', async (t) => {
  const { accepted, failure } = fuzz(amfTarget, { inputs, seed })
  t.same(failure, undefined, `replay: main.js amf --seed ${seed} --only ${failure?.number}`)
  t.ok(accepted > inputs / 20 && accepted < inputs * 0.9, `${accepted} were accepted, others not`)
})

t.test('An input that breaks a property is found, and reproduced by its seed and number', async (t) => {
  const target: Target<number> = {
    name: 'even',
    draw: (rng) => rng.below(50),
    check(input) {
      if (input === 49) throw new Error('forty-nine')
      return true
    },
  }
  const { failure } = fuzz(target, { inputs: 2_000, seed })
  t.equal(failure?.input, '49')
  t.same(fuzz(target, { inputs, seed, only: failure?.number }).failure, failure)
})
