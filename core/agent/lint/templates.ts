/** What is wrong with message templates and with the outreach that opens by them. */
import { itemCost, type Pace, type Steps } from '../../steps.js'
import type { Item } from '../document.js'
import { markersIn } from '../markers.js'
import { identityFields } from '../resources/identity.js'
import { renderTemplate } from '../templates/render.js'
import { isReadable, slotsOf } from '../templates/slots.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { type Desk, lookUp, note } from './findings.js'
import { circles } from './graph.js'

type Template = Item<'messageTemplates'>

export function* lintTemplatesInSteps(desk: Desk, isStepOver: Pace): Steps<void> {
  const { messageTemplates, identity = {} } = desk.document
  /** Every agent has a name; the rest of it is as it is set. */
  const known = new Set([
    'agent.name',
    ...identityFields.filter((name) => identity[name]).map((name) => `agent.${name}`),
  ])
  for (const [place, template] of messageTemplates.entries()) {
    if (isStepOver(itemCost + costOfTemplate * template.body.length)) yield
    const at = `messageTemplates[${place}].body`
    for (const path of new Set(slotsOf(template.body).map((slot) => slot.path))) {
      if (!isReadable(path)) note(desk, 'template.slot.unknown', at, `{${path}} reads nothing that exists.`)
    }
    const { renderedText, blocked } = renderTemplate(template, (path) => (known.has(path) ? 'x' : undefined))
    if (blocked || renderedText?.trim() === '') {
      note(desk, 'template.empty.person', at, 'Nothing can be sent to a person of whom nothing is known.')
    }
    lintLabels(desk, 'template.chip.keyword', at, chipLabelsIn(template.body))
  }
}

/** It is also rendered, so a character costs more than to look at it. */
const costOfTemplate = 8

export function lintTemplateCircles(desk: Desk): void {
  const includes = new Map<string, readonly string[]>()
  const places = new Map<string, number>()
  for (const [place, { id, body }] of desk.document.messageTemplates.entries()) {
    places.set(id, place)
    const named = markersIn(body).flatMap((marker) => (marker.kind === 'template' ? [marker.id] : []))
    if (named.length > 0) includes.set(id, named)
  }
  for (const circle of circles(includes)) {
    const [first = ''] = circle
    const message = `The templates ${[...circle, first].join(', ')} hold each other.`
    note(desk, 'template.cycle', `messageTemplates[${places.get(first)}].body`, message)
  }
}

export function lintOutreach(desk: Desk): void {
  for (const [place, { openerTemplateId, inputs }] of desk.document.outreach.entries()) {
    const template = lookUp(desk, 'messageTemplates', openerTemplateId) as Template | undefined
    if (!template) continue
    const given = new Set(inputs.flatMap((input) => [`person.${input}`, `person.customFields.${input}`]))
    const { blocked } = renderTemplate(template, (path) =>
      given.has(path) || path.startsWith('agent.') ? 'x' : undefined,
    )
    if (blocked) {
      note(
        desk,
        'outreach.opener.blocked',
        `outreach[${place}].inputs`,
        'The opener reads a field that is no input, and is held back without it.',
      )
    }
  }
}
