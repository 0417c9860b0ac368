/** What is wrong with facts, things, collections, rules, goals, objectives and settings. */
import { findInCatalog } from '../../catalogs/index.js'
import { itemCost, type Pace, type Steps } from '../../steps.js'
import { isPattern, readPattern } from '../pattern/index.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { type Desk, note } from './findings.js'

export function* lintFactsInSteps(desk: Desk, isStepOver: Pace): Steps<void> {
  const asked = new Map<string, number>()
  for (const [place, fact] of desk.document.facts.entries()) {
    if (isStepOver(itemCost)) yield
    const at = `facts[${place}]`
    lintLabels(desk, 'fact.chip.keyword', `${at}.answer`, chipLabelsIn(fact.answer))
    if (fact.enabled === false) continue
    const scope = fact.scope?.playbooks.join(',') ?? ''
    const key = `${scope}\n${fact.question.trim().toLowerCase().replace(/\s+/g, ' ')}`
    const first = asked.get(key)
    if (first === undefined) asked.set(key, place)
    else note(desk, 'fact.duplicate', `${at}.question`, `facts[${first}] answers the same question.`)
  }
}

export function* lintThingsInSteps(desk: Desk, isStepOver: Pace): Steps<void> {
  const { things, collections } = desk.document
  const labels = new Map<string, Set<string>>(collections.map(({ id }) => [id, new Set()]))
  const filled = new Set<string>()
  for (const [place, thing] of things.entries()) {
    if (isStepOver(itemCost)) yield
    for (const [nth, { label, kind }] of (thing.actions ?? []).entries()) {
      if (kind === 'reply') lintLabels(desk, 'thing.action.keyword', `things[${place}].actions[${nth}].label`, [label])
    }
    for (const id of thing.collections ?? []) {
      filled.add(id)
      for (const { label } of thing.actions ?? []) labels.get(id)?.add(label)
    }
  }
  for (const [place, { id, presentation }] of collections.entries()) {
    if (!filled.has(id)) {
      note(desk, 'collection.empty', `collections[${place}]`, `No thing belongs to the collection ${id}.`)
      continue
    }
    for (const [nth, label] of (presentation?.actions ?? []).entries()) {
      if (labels.get(id)?.has(label)) continue
      const path = `collections[${place}].presentation.actions[${nth}]`
      note(desk, 'collection.action.unknown', path, `No thing of the collection has an action "${label}".`)
    }
  }
}

export function lintRules(desk: Desk): void {
  for (const [place, { check }] of desk.document.rules.entries()) {
    for (const [nth, pattern] of check.patterns.entries()) {
      const read = readPattern(pattern)
      if (isPattern(read)) continue
      note(desk, 'rule.pattern.unreadable', `rules[${place}].check.patterns[${nth}]`, `The pattern ${read.problem}.`)
    }
  }
}

export function lintGoals(desk: Desk): void {
  for (const [place, { definition }] of desk.document.goals.entries()) {
    if (definition.kind === 'event' && definition.event === 'link.tapped') {
      note(desk, 'goal.unreached', `goals[${place}].definition.event`, 'Nothing marks link.tapped as reached.')
    }
  }
}

/** Objectives come with agent templates; the contract has no route for them. */
export function lintObjectives(desk: Desk): void {
  for (const [place, { name }] of desk.document.objectives.entries()) {
    const message = `No conversation reads the objective ${name}; the export shows it, and an import changes it.`
    note(desk, 'objective.unread', `objectives[${place}]`, message)
  }
}

export function lintSettings(desk: Desk): void {
  const { identity = {}, scheduling, toolBindings, playbooks } = desk.document
  if (playbooks.length > 0 && !identity.contactEmail && !identity.contactPhone && !identity.websiteUrl) {
    note(
      desk,
      'identity.contact.missing',
      'identity',
      'There is no contact to offer to somebody who asks for a person.',
    )
  }
  if (scheduling) {
    const windows = scheduling.availableHours ?? []
    const hasHours =
      windows.length > 0 || scheduling.representatives.some((each) => each.availability?.workingHours?.length)
    if (!hasHours) note(desk, 'scheduling.hours.missing', 'scheduling.availableHours', 'There are no hours to book in.')
    for (const [place, { startTime, endTime }] of windows.entries()) {
      if (endTime > startTime) continue
      const path = `scheduling.availableHours[${place}]`
      note(desk, 'scheduling.window.empty', path, `The window from ${startTime} to ${endTime} holds no time.`)
    }
  }
  for (const [place, { toolId }] of toolBindings.entries()) {
    if (!findInCatalog('tools', toolId)) {
      note(desk, 'tool.unknown', `toolBindings[${place}].toolId`, `The catalog has no tool ${toolId}.`)
    }
  }
}
