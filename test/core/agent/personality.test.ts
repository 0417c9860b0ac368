/** Personality, guardrails, standing instructions and rules. */
import t from 'tap'
import {
  emptyDocument,
  importGuardrails,
  importPersonality,
  patchGuardrails,
  personalityDiff,
  replaceGuardrails,
  replaceInstructions,
  replacePersonality,
  replaceRules,
} from '../../../core/agent/index.js'
import { guardrailLists } from '../../../core/agent/resources/character.js'
import { findInCatalog, listCatalog } from '../../../core/catalogs/index.js'
import { agentLimits } from '../../../core/limits/index.js'
import { errorsOf, must, sample } from './sample.js'

const template = listCatalog('personality-templates')[0]!
const imported = must(importPersonality(emptyDocument, template.id))

t.test('A personality needs a text on PUT', async (t) => {
  t.same(errorsOf(replacePersonality(emptyDocument, { description: 'D' })), {
    code: 'request.invalid',
    fields: ['text'],
  })
  t.same(must(replacePersonality(emptyDocument, { text: 'Kind.' })).personality, { text: 'Kind.' })
})

t.test('An import copies the template and records its origin', async (t) => {
  const { id: templateId, version, description, promptFragment: text } = template
  t.same(imported.personality, { description, text, derivedFrom: { templateId, version } })
  t.equal(errorsOf(importPersonality(emptyDocument, '@svc/personality.gone'))?.code, 'resource.not_found')
})

t.test('The diff is all null without a personality, and all different without a baseline', async (t) => {
  t.same(personalityDiff(emptyDocument), { current: null, baseline: null, divergence: null })
  t.same(personalityDiff(sample), {
    current: sample.personality,
    baseline: null,
    divergence: { description: true, text: true },
  })
  t.match(personalityDiff(imported), { divergence: { description: false, text: false } })
})

t.test('Fields edited after an import differ from the baseline', async (t) => {
  const edited = must(replacePersonality(imported, { description: template.description, text: 'Mine.' }))
  t.match(personalityDiff(edited), {
    current: { text: 'Mine.', derivedFrom: { templateId: template.id } },
    baseline: { text: template.promptFragment },
    divergence: { description: false, text: true },
  })
  t.same(must(replacePersonality(edited, edited.personality)), edited, 'PUT of a GET changes nothing')
})

t.test('PUT replaces the lists of guardrails, PATCH adds and removes in those sent', async (t) => {
  t.same(must(replaceGuardrails(sample, { topicsToAvoid: ['war'] })).guardrails, { topicsToAvoid: ['war'] })
  t.same(must(replaceGuardrails(sample, sample.guardrails)), sample)
  const patched = must(
    patchGuardrails(sample, {
      topicsToAvoid: { add: ['war', 'politics'], remove: ['gone'] },
      claimsNotToMake: { remove: ['cheapest'] },
    }),
  )
  t.same(patched.guardrails, {
    topicsToAvoid: ['politics', 'war'],
    claimsNotToMake: [],
    requiredDisclaimers: ['Not advice.'],
  })
  t.same(errorsOf(patchGuardrails(sample, { topicsToAvoid: ['war'] }))?.fields, ['topicsToAvoid'])
})

t.test('additionalRules is retired: a write carrying it is 422', async (t) => {
  for (const write of [replaceGuardrails, patchGuardrails]) {
    t.match(write(sample, { additionalRules: 'x' }), {
      refused: 'request.invalid',
      errors: [{ field: 'additionalRules', message: /retired/ }],
    })
  }
})

t.test('A guardrail import merges in order, without duplicates, and records the template once', async (t) => {
  const general = findInCatalog('guardrail-templates', '@svc/guardrail.general')!
  const once = must(importGuardrails(sample, general.id))
  for (const list of guardrailLists) {
    const before = sample.guardrails?.[list] ?? []
    t.same(once.guardrails?.[list], [...new Set([...before, ...(general[list] ?? [])])], list)
  }
  t.same(once.guardrails?.derivedFromTemplates, [general.id])
  t.same(must(importGuardrails(once, general.id)), once, 'a second time changes nothing')
  t.equal(errorsOf(importGuardrails(sample, '@svc/guardrail.gone'))?.code, 'resource.not_found')
  t.same(must(replaceGuardrails(once, { topicsToAvoid: [] })).guardrails?.derivedFromTemplates, [general.id])
})

t.test('Lists cannot exceed their limit through patches and merges', async (t) => {
  const full = must(
    replaceGuardrails(emptyDocument, { topicsToAvoid: Array.from({ length: 200 }, (_, nth) => `t${nth}`) }),
  )
  t.same(errorsOf(patchGuardrails(full, { topicsToAvoid: { add: ['one more'] } }))?.fields, ['topicsToAvoid[200]'])
})

t.test('Standing instructions are replaced, and the list is required', async (t) => {
  t.same(must(replaceInstructions(sample, { standingInstructions: ['A', 'B'] })).standingInstructions, ['A', 'B'])
  t.same(errorsOf(replaceInstructions(sample, { data: [] }))?.fields, ['data', 'standingInstructions'])
  t.same(errorsOf(replaceInstructions(sample, { standingInstructions: [''] }))?.fields, ['standingInstructions[0]'])
})

t.test('A rule is a phrase or an expression that runs in linear time', async (t) => {
  const rule = (patterns: string[], more: object = {}) => ({
    rules: [{ id: 'r', text: 'R.', check: { kind: 'pattern', patterns }, ...more }],
  })
  t.same(must(replaceRules(emptyDocument, rule(['free', '/\\bfree\\b/i']))).rules[0], {
    id: 'r',
    text: 'R.',
    check: { kind: 'pattern', patterns: ['free', '/\\bfree\\b/i'] },
    action: 'block',
    enabled: true,
  })
  t.same(errorsOf(replaceRules(emptyDocument, rule(['fine', '/(a)\\1/'])))?.fields, ['rules[0].check.patterns[1]'])
  t.same(errorsOf(replaceRules(emptyDocument, rule(['x'], { action: 'sing' })))?.fields, ['rules[0].action'])
  t.same(
    errorsOf(replaceRules(emptyDocument, { rules: [{ id: 'r', text: 'R', check: { kind: 'vibe', patterns: ['x'] } }] }))
      ?.fields,
    ['rules[0].check.kind'],
  )
  t.same(must(replaceRules(sample, { rules: sample.rules })), sample)
})

t.test('The patterns of all enabled rules share a limit of states, and the one that exceeds it is named', async (t) => {
  const { states } = agentLimits.rules
  const check = { kind: 'pattern', patterns: Array.from({ length: 10 }, () => '/a{100}/') }
  const rules = (count: number, more: object = {}) => ({
    rules: Array.from({ length: count }, (_, nth) => ({ id: `r${nth}`, text: 'R', check, ...more })),
  })
  const ruleCount = states / (10 * 200)
  must(replaceRules(emptyDocument, rules(ruleCount)))
  t.same(errorsOf(replaceRules(emptyDocument, rules(ruleCount + 2)))?.fields, [`rules[${ruleCount}].check.patterns[0]`])
  must(replaceRules(emptyDocument, rules(100, { enabled: false })))
})
