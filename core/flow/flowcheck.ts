/** Checks a generated flow for a playbook: its schema, its lint findings and a dry run. */
import type { Fault } from '../agent/flows/prompt.js'
import { withFlowDefaults } from '../agent/flows/storedflow.js'
import {
  type AgentDocument,
  bodyHash,
  type Finding,
  type Findings,
  type Item,
  lintOnePlaybook,
  withItem,
} from '../agent/index.js'
import { Flow } from '../agent/resources/flow.js'
import { faultsOf } from '../agent/schemacheck.js'
import type { FieldError } from '../errors.js'
import { isRecord } from '../json.js'
import { type DryRun, dryRunFlow } from './dryrun.js'

export interface FlowOrigin {
  readonly by?: string
  readonly at: string
  readonly model: string
}

export interface FlowCheck {
  readonly flow?: Flow
  readonly schema: { readonly ok: boolean; readonly errors: FieldError[] }
  readonly lint: Findings
  readonly dryRun?: DryRun
}

const noFindings: Findings = { errors: [], warnings: [], advice: [] }

export function checkFlow(
  document: AgentDocument,
  playbook: Item<'playbooks'>,
  uses: readonly string[],
  generated: unknown,
  origin: FlowOrigin,
): FlowCheck {
  const generatedFrom = { bodyHash: bodyHash(playbook.body), ...origin }
  const candidateFlow = isRecord(generated) ? withFlowDefaults({ ...generated, generatedFrom }, playbook) : generated
  const errors = faultsOf(Flow, candidateFlow, 'flow')
  if (errors.length > 0) return { schema: { ok: false, errors }, lint: noFindings }
  const flow = candidateFlow as Flow
  const candidatePlaybook = { ...playbook, uses: [...uses], flow }
  const candidate = withItem(document, 'playbooks', candidatePlaybook)
  const lintResult = lintOnePlaybook(candidate, playbook.id)
  const ofFlow = (findings: readonly Finding[]) => findings.filter(({ code }) => code.startsWith('flow.'))
  const lint = {
    errors: ofFlow(lintResult.errors),
    warnings: ofFlow(lintResult.warnings),
    advice: ofFlow(lintResult.advice),
  }
  return { flow, schema: { ok: true, errors: [] }, lint, dryRun: dryRunFlow(candidate, candidatePlaybook) }
}

/** The reasons to reject the flow; empty when it can be accepted. */
export function faultsOfFlow({ schema, lint }: FlowCheck): Fault[] {
  const schemaFaults = schema.errors.map(({ field, message }) => ({ path: field, message }))
  return [...schemaFaults, ...lint.errors.map(({ path, message, fix }) => ({ path, message: `${message} ${fix}` }))]
}
