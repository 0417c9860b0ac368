/** Renders a message template with the templates that its text includes, for one person. */
import { outreachSend as limits } from '../../limits/index.js'
import { type MissingSlot, type Rendered, renderTemplate, type SlotReader } from './render.js'

interface Template {
  readonly id: string
  readonly body: string
}

export interface ExpandedTemplate extends Rendered {
  /** Why it must not be sent, in a sentence; present when it is blocked. */
  readonly problem?: string
}

const templateMarker = /\[\[[ \t]*template[ \t]*:([^[\]\n]*)\]\]/g

/**
 * Included templates are rendered in place. A blocked included template blocks the whole. The number of templates in
 * one text is bounded: a few that include each other many times would otherwise grow without end.
 */
export function renderNested(templates: readonly Template[], templateId: string, read: SlotReader): ExpandedTemplate {
  const byId = new Map(templates.map((template) => [template.id, template]))
  let remaining: number = limits.templatesPerText

  function expand(id: string, depth: number): ExpandedTemplate {
    const template = byId.get(id)
    if (!template) return blockedResult(`There is no message template ${id}.`)
    if (depth < 0) return blockedResult('Templates name each other in a circle.')
    if (remaining-- === 0) return blockedResult(`More than ${limits.templatesPerText} templates are named in one text.`)
    const rendered = renderTemplate(template, read)
    const { renderedText, missingSlots } = rendered
    if (renderedText === null) {
      const missing = missingSlots.filter(({ action }) => action === 'block-send').map(({ path }) => path)
      return { ...rendered, problem: `Without ${missing.join(', ')} it must not be sent.` }
    }
    const missing: MissingSlot[] = [...missingSlots]
    let problem: string | undefined
    const text = renderedText.replace(templateMarker, (marker, inner: string, at: number) => {
      if (problem !== undefined || renderedText[at - 1] === '\\') return marker
      const expanded = expand(inner.trim(), depth - 1)
      missing.push(...expanded.missingSlots)
      problem = expanded.problem
      return expanded.renderedText ?? ''
    })
    if (problem !== undefined) return { renderedText: null, missingSlots: missing, blocked: true, problem }
    return { renderedText: text, missingSlots: missing, blocked: false }
  }

  const expanded = expand(templateId, limits.templateDepth)
  return { ...expanded, missingSlots: expanded.missingSlots.filter(isFirst) }
}

function blockedResult(problem: string): ExpandedTemplate {
  return { renderedText: null, missingSlots: [], blocked: true, problem }
}

function isFirst({ path }: MissingSlot, at: number, all: readonly MissingSlot[]): boolean {
  return all.findIndex((each) => each.path === path) === at
}
