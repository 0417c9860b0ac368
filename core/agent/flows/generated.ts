/** Judges a flow that was written for a playbook: its shape, what lint says of it, and how a walk through it goes. */
import type { FieldError } from '../../errors.js'
import { isRecord } from '../../json.js'
import { faultsOf } from '../check.js'
import { type AgentDocument, type Item, withItem } from '../document.js'
import { type Finding, type Findings, lintOnePlaybook } from '../lint/index.js'
import { Flow } from '../resources/flow.js'
import { wholeFlow } from './kept.js'
import type { Fault } from './prompt.js'
import { type Rehearsal, rehearsed } from './rehearsal.js'
import { bodyHash } from './stale.js'

export interface FlowOrigin {
  readonly by?: string
  readonly at: string
  readonly model: string
}

export interface JudgedFlow {
  readonly flow?: Flow
  readonly schema: { readonly ok: boolean; readonly errors: FieldError[] }
  readonly lint: Findings
  readonly dryRun?: Rehearsal
}

const nothing: Findings = { errors: [], warnings: [], advice: [] }

export function judgedFlow(
  document: AgentDocument,
  playbook: Item<'playbooks'>,
  uses: readonly string[],
  written: unknown,
  origin: FlowOrigin,
): JudgedFlow {
  const generatedFrom = { bodyHash: bodyHash(playbook.body), ...origin }
  const stamped = isRecord(written) ? wholeFlow({ ...written, generatedFrom }, playbook) : written
  const errors = faultsOf(Flow, stamped, 'flow')
  if (errors.length > 0) return { schema: { ok: false, errors }, lint: nothing }
  const flow = stamped as Flow
  const candidate = withItem(document, 'playbooks', { ...playbook, uses: [...uses], flow })
  const found = lintOnePlaybook(candidate, playbook.id)
  const ofFlow = (findings: readonly Finding[]) => findings.filter(({ code }) => code.startsWith('flow.'))
  const lint = { errors: ofFlow(found.errors), warnings: ofFlow(found.warnings), advice: ofFlow(found.advice) }
  return { flow, schema: { ok: true, errors: [] }, lint, dryRun: rehearsed(flow) }
}

/** What keeps the flow from being accepted; none when it can be. */
export function faultsOfFlow({ schema, lint }: JudgedFlow): Fault[] {
  const misshapen = schema.errors.map(({ field, message }) => ({ path: field, message }))
  return [...misshapen, ...lint.errors.map(({ path, message, fix }) => ({ path, message: `${message} ${fix}` }))]
}
