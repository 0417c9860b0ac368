/** Reports references without a target, read from the reference table. */
import type { StepBudget, Steps } from '../../steps.js'
import { sectionNouns } from '../integrity.js'
import { type ReferenceVisitor, referringSections, visitReferences, visitReferencesInSteps } from '../references.js'
import type { LintCode } from './codes.js'
import { addFinding, type LintContext, lookUp } from './findings.js'

export function* lintDanglingInSteps(context: LintContext, isStepOver: StepBudget): Steps<void> {
  for (const from of referringSections) {
    const part = context.document[from]
    if (Array.isArray(part)) {
      for (const [index, item] of part.entries()) {
        yield* visitReferencesInSteps(from, item, reportMissing(context, from, index), isStepOver)
      }
    } else if (part) yield* visitReferencesInSteps(from, part, reportMissing(context, from), isStepOver)
  }
}

export function lintItem(context: LintContext, from: string, item: object, at: string): void {
  visitReferences(from, item, reportMissing(context, at))
}

/** `index` is that of the item when `at` is its list. */
function reportMissing(context: LintContext, at: string, index?: number): ReferenceVisitor {
  return (edge, path, id) => {
    if (lookUp(context, edge.target, id)) return
    const base = index === undefined ? at : `${at}[${index}]`
    addFinding(context, edge.code as LintCode, `${base}.${path}`, `There is no ${sectionNouns[edge.target]} ${id}.`)
  }
}
