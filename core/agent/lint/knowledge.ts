/** Lints facts, things, collections, rules, goals, objectives and settings. */
import { findInCatalog } from '../../catalogs/index.js'
import { itemCost, type StepBudget, type Steps } from '../../steps.js'
import { isPattern, readPattern } from '../pattern/index.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { addFinding, type LintContext } from './findings.js'

export function* lintFactsInSteps(context: LintContext, isStepOver: StepBudget): Steps<void> {
  const firstByQuestion = new Map<string, number>()
  for (const [index, fact] of context.document.facts.entries()) {
    if (isStepOver(itemCost)) yield
    const at = `facts[${index}]`
    lintLabels(context, 'fact.chip.keyword', `${at}.answer`, chipLabelsIn(fact.answer))
    if (fact.enabled === false) continue
    const scope = fact.scope?.playbooks.join(',') ?? ''
    const key = `${scope}\n${fact.question.trim().toLowerCase().replace(/\s+/g, ' ')}`
    const first = firstByQuestion.get(key)
    if (first === undefined) firstByQuestion.set(key, index)
    else addFinding(context, 'fact.duplicate', `${at}.question`, `facts[${first}] answers the same question.`)
  }
}

export function* lintThingsInSteps(context: LintContext, isStepOver: StepBudget): Steps<void> {
  const { things, collections } = context.document
  const labels = new Map<string, Set<string>>(collections.map(({ id }) => [id, new Set()]))
  const usedCollections = new Set<string>()
  for (const [index, thing] of things.entries()) {
    if (isStepOver(itemCost)) yield
    for (const [actionIndex, { label, kind }] of (thing.actions ?? []).entries()) {
      if (kind === 'reply')
        lintLabels(context, 'thing.action.keyword', `things[${index}].actions[${actionIndex}].label`, [label])
    }
    for (const id of thing.collections ?? []) {
      usedCollections.add(id)
      for (const { label } of thing.actions ?? []) labels.get(id)?.add(label)
    }
  }
  for (const [index, { id, presentation }] of collections.entries()) {
    if (!usedCollections.has(id)) {
      addFinding(context, 'collection.empty', `collections[${index}]`, `No thing belongs to the collection ${id}.`)
      continue
    }
    for (const [actionIndex, label] of (presentation?.actions ?? []).entries()) {
      if (labels.get(id)?.has(label)) continue
      const path = `collections[${index}].presentation.actions[${actionIndex}]`
      addFinding(context, 'collection.action.unknown', path, `No thing of the collection has an action "${label}".`)
    }
  }
}

export function lintRules(context: LintContext): void {
  for (const [index, { check }] of context.document.rules.entries()) {
    for (const [actionIndex, pattern] of check.patterns.entries()) {
      const parsed = readPattern(pattern)
      if (isPattern(parsed)) continue
      addFinding(
        context,
        'rule.pattern.unreadable',
        `rules[${index}].check.patterns[${actionIndex}]`,
        `The pattern ${parsed.problem}.`,
      )
    }
  }
}

export function lintGoals(context: LintContext): void {
  for (const [index, { definition }] of context.document.goals.entries()) {
    if (definition.kind === 'event' && definition.event === 'link.tapped') {
      addFinding(context, 'goal.unreached', `goals[${index}].definition.event`, 'Nothing marks link.tapped as reached.')
    }
  }
}

/** Objectives come with agent templates; the contract has no route for them. */
export function lintObjectives(context: LintContext): void {
  for (const [index, { name }] of context.document.objectives.entries()) {
    const message = `No conversation reads the objective ${name}; the export shows it, and an import changes it.`
    addFinding(context, 'objective.unread', `objectives[${index}]`, message)
  }
}

export function lintSettings(context: LintContext): void {
  const { identity = {}, scheduling, toolBindings, playbooks } = context.document
  if (playbooks.length > 0 && !identity.contactEmail && !identity.contactPhone && !identity.websiteUrl) {
    addFinding(
      context,
      'identity.contact.missing',
      'identity',
      'There is no contact to offer to a user who asks for a person.',
    )
  }
  if (scheduling) {
    const windows = scheduling.availableHours ?? []
    const hasHours =
      windows.length > 0 || scheduling.representatives.some((each) => each.availability?.workingHours?.length)
    if (!hasHours)
      addFinding(context, 'scheduling.hours.missing', 'scheduling.availableHours', 'There are no hours to book in.')
    for (const [index, { startTime, endTime }] of windows.entries()) {
      if (endTime > startTime) continue
      const path = `scheduling.availableHours[${index}]`
      addFinding(context, 'scheduling.window.empty', path, `The window from ${startTime} to ${endTime} holds no time.`)
    }
  }
  for (const [index, { toolId }] of toolBindings.entries()) {
    if (!findInCatalog('tools', toolId)) {
      addFinding(context, 'tool.unknown', `toolBindings[${index}].toolId`, `The catalog has no tool ${toolId}.`)
    }
  }
}
