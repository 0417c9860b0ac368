/** Ids from names. */
import fc from 'fast-check'
import t from 'tap'
import { emptyDocument, freeSlug, replaceFacts, slugOf } from '../../../core/agent/index.js'
import { createSlugGenerator } from '../../../core/agent/slug.js'
import { must } from './sample.js'

t.test('Any name becomes a valid slug', async (t) => {
  t.equal(slugOf('  Ça va? Très bien!  '), 'ca-va-tres-bien')
  t.equal(slugOf('予約'), 'agent')
  t.equal(slugOf('***', 'playbook'), 'playbook')
  t.equal(slugOf(`${'x'.repeat(62)} y`), 'x'.repeat(62), 'cut without a hyphen at its end')
  fc.assert(fc.property(fc.string(), (name) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(slugOf(name))))
})

t.test('A taken slug gets a number and stays a valid slug', async (t) => {
  t.equal(
    freeSlug('Desk', 'x', (slug) => ['desk', 'desk-2'].includes(slug)),
    'desk-3',
  )
  t.equal(
    freeSlug('y'.repeat(80), 'x', (slug) => slug === 'y'.repeat(63)),
    `${'y'.repeat(61)}-2`,
  )
})

t.test('Thousands of equal names each get a slug at the first attempt', async (t) => {
  const slugsInUse = new Set(['where', 'where-2'])
  let checkCount = 0
  const give = createSlugGenerator((slug) => {
    checkCount++
    return slugsInUse.has(slug)
  })
  const given = Array.from({ length: 5_000 }, () => give('Where?', 'fact'))
  t.equal(new Set(given).size, 5_000)
  t.equal(checkCount, 5_000 + slugsInUse.size)
  const facts = Array.from({ length: 5_000 }, () => ({ question: 'Where?', answer: 'Here.' }))
  const made = must(replaceFacts(emptyDocument, { facts }))
  t.equal(new Set(made.facts.map(({ id }) => id)).size, 5_000)
})
