/** Lints message templates, and outreach whose opener is a template. */
import { itemCost, type StepBudget, type Steps } from '../../steps.js'
import type { Item } from '../document.js'
import { markersIn } from '../markers.js'
import { identityFields } from '../resources/identity.js'
import { renderTemplate } from '../templates/render.js'
import { isReadable, slotsOf } from '../templates/slots.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { addFinding, type LintContext, lookUp } from './findings.js'
import { findCycles } from './graph.js'

type Template = Item<'messageTemplates'>

export function* lintTemplatesInSteps(context: LintContext, isStepOver: StepBudget): Steps<void> {
  const { messageTemplates, identity = {} } = context.document
  /** Every agent has a name; its other fields are known when they are set. */
  const knownPaths = new Set([
    'agent.name',
    ...identityFields.filter((name) => identity[name]).map((name) => `agent.${name}`),
  ])
  for (const [index, template] of messageTemplates.entries()) {
    if (isStepOver(itemCost + costOfTemplate * template.body.length)) yield
    const at = `messageTemplates[${index}].body`
    for (const path of new Set(slotsOf(template.body).map((slot) => slot.path))) {
      if (!isReadable(path)) addFinding(context, 'template.slot.unknown', at, `{${path}} reads nothing that exists.`)
    }
    const { renderedText, blocked } = renderTemplate(template, (path) => (knownPaths.has(path) ? 'x' : undefined))
    if (blocked || renderedText?.trim() === '') {
      addFinding(context, 'template.empty.person', at, 'Nothing can be sent to a person of whom nothing is known.')
    }
    lintLabels(context, 'template.chip.keyword', at, chipLabelsIn(template.body))
  }
}

/** Steps for each character: a template is also rendered, which costs more than a scan. */
const costOfTemplate = 8

export function lintTemplateCycles(context: LintContext): void {
  const includes = new Map<string, readonly string[]>()
  const indexById = new Map<string, number>()
  for (const [index, { id, body }] of context.document.messageTemplates.entries()) {
    indexById.set(id, index)
    const includedIds = markersIn(body).flatMap((marker) => (marker.kind === 'template' ? [marker.id] : []))
    if (includedIds.length > 0) includes.set(id, includedIds)
  }
  for (const cycle of findCycles(includes)) {
    const [first = ''] = cycle
    const message = `The templates ${[...cycle, first].join(', ')} hold each other.`
    addFinding(context, 'template.cycle', `messageTemplates[${indexById.get(first)}].body`, message)
  }
}

export function lintOutreach(context: LintContext): void {
  for (const [index, { openerTemplateId, inputs }] of context.document.outreach.entries()) {
    const template = lookUp(context, 'messageTemplates', openerTemplateId) as Template | undefined
    if (!template) continue
    const inputPaths = new Set(inputs.flatMap((input) => [`person.${input}`, `person.customFields.${input}`]))
    const { blocked } = renderTemplate(template, (path) =>
      inputPaths.has(path) || path.startsWith('agent.') ? 'x' : undefined,
    )
    if (blocked) {
      addFinding(
        context,
        'outreach.opener.blocked',
        `outreach[${index}].inputs`,
        'The opener reads a field that is no input, and is held back without it.',
      )
    }
  }
}
