/** Lint findings, and the lookup context of a lint run. */
import { type AgentDocument, findItem, type ListSection } from '../document.js'
import { type LintCode, lintCodes } from './codes.js'

export interface Finding {
  readonly code: LintCode
  /** Path in the document: `playbooks[2].flow.steps[0].say`. */
  readonly path: string
  readonly message: string
  readonly fix: string
}

export interface Findings {
  readonly errors: Finding[]
  readonly warnings: Finding[]
  readonly advice: Finding[]
}

const listByLevel = { error: 'errors', warning: 'warnings', advice: 'advice' } as const

export interface LintContext {
  readonly document: AgentDocument
  readonly findings: Findings
}

export function createLintContext(document: AgentDocument): LintContext {
  return { document, findings: { errors: [], warnings: [], advice: [] } }
}

export function addFinding({ findings }: LintContext, code: LintCode, path: string, message: string): void {
  const { level, fix } = lintCodes[code]
  findings[listByLevel[level]].push({ code, path, message, fix })
}

export function lookUp({ document }: LintContext, section: ListSection, id: string): object | undefined {
  return findItem(document, section, id)
}
