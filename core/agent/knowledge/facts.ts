/** Facts: fills in defaults, and stamps a fact with the time of its last change. */
import { type FieldError, invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits/index.js'
import { mapInSteps, runToEnd, type Steps } from '../../steps.js'
import { type AgentDocument, findItem, type Item, withItem, withoutItem, withSection } from '../document.js'
import { invalidFields, isSame, type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import { FactBody, FactPatch, FactsBody, Fact as StoredFact } from '../resources/knowledge.js'
import { createSlugGenerator, freeSlug } from '../slug.js'
import { canonicalize } from '../transfer/canonical.js'

type Fact = Item<'facts'>

const factDefaults = { exact: false, enabled: true, source: 'operator', confirmed: true, alwaysOn: false } as const

/** The fact as it is stored. An unchanged fact keeps its time. */
function buildFact(input: FactBody, id: string, stored: Fact | undefined, at: string | undefined): StoredFact {
  const { verbatim, updatedAt, ...rest } = input
  const fact = withoutUndefined({
    ...factDefaults,
    ...(verbatim !== undefined && { exact: verbatim }),
    ...withoutUndefined(rest),
    id,
  })
  return withUpdatedAt(fact, stored, at ?? updatedAt)
}

function withUpdatedAt(fact: StoredFact, stored: Fact | undefined, at: string | undefined): StoredFact {
  const asStored = { ...fact, updatedAt: stored?.updatedAt }
  return withoutUndefined(stored !== undefined && isSame(asStored, stored) ? asStored : { ...fact, updatedAt: at })
}

function scopeFaults(document: AgentDocument, { scope }: Pick<FactPatch, 'scope'>, at: string): FieldError[] {
  if (!scope) return []
  const playbookIds = new Set(document.playbooks.map(({ id }) => id))
  return scope.playbooks.flatMap((id, index) =>
    playbookIds.has(id)
      ? []
      : [
          {
            field: `${at}scope.playbooks[${index}]`,
            code: 'fact.scope.unknown',
            message: `There is no playbook ${id}`,
          },
        ],
  )
}

/**
 * PUT of the whole list; `isValidated` when its shape has been checked before. Without `at` a fact keeps its own time:
 * an import does that.
 */
export function* replaceFactsInSteps(
  document: AgentDocument,
  body: unknown,
  at?: string,
  isValidated = false,
): Steps<Outcome> {
  const error = isValidated ? undefined : schemaError(FactsBody, body)
  if (error) return error
  const { facts } = body as { facts: FactBody[] }
  const faults = facts.flatMap((fact, index) => scopeFaults(document, fact, `facts[${index}].`))
  if (faults.length > 0) return invalidFields(faults)
  const usedIds = new Set(facts.flatMap(({ id }) => id ?? []))
  const stored = new Map(document.facts.map((fact) => [fact.id, fact]))
  const slugFor = createSlugGenerator((slug) => usedIds.has(slug))
  const built = yield* mapInSteps(facts, (fact) => {
    const id = fact.id ?? slugFor(fact.question, 'fact')
    usedIds.add(id)
    return canonicalize(StoredFact, buildFact(fact, id, stored.get(id), at))
  })
  return withSection(document, 'facts', built)
}

export function replaceFacts(...args: Parameters<typeof replaceFactsInSteps>): Outcome {
  return runToEnd(replaceFactsInSteps(...args))
}

export function addFact(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(FactBody, body)
  if (error) return error
  const input = body as FactBody
  const faults = scopeFaults(document, input, '')
  if (faults.length > 0) return invalidFields(faults)
  const isTaken = (slug: string) => findItem(document, 'facts', slug) !== undefined
  if (input.id !== undefined && isTaken(input.id)) return invalid('id', 'is the id of another fact')
  if (document.facts.length >= limits.facts.max) return invalid('facts', `must hold at most ${limits.facts.max}`)
  const id = input.id ?? freeSlug(input.question, 'fact', isTaken)
  return { document: withItem(document, 'facts', buildFact(input, id, undefined, at)), id }
}

/** Null removes `scope` or `alternates`. */
export function patchFact(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const error = schemaError(FactPatch, body)
  const stored = findItem(document, 'facts', id)
  if (error || !stored) return error ?? refuse('resource.not_found')
  const { scope, alternates, verbatim, exact = verbatim, ...input } = body as FactPatch
  if (input.id !== undefined && input.id !== id) return invalid('id', 'must be the id of the path')
  const faults = scopeFaults(document, { scope }, '')
  if (faults.length > 0) return invalidFields(faults)
  const cleared = { ...(scope === null && { scope: undefined }), ...(alternates === null && { alternates: undefined }) }
  const changes = { ...(scope && { scope }), ...(alternates && { alternates }), ...(exact !== undefined && { exact }) }
  const fact = withoutUndefined({ ...factDefaults, ...stored, ...input, ...cleared, ...changes }) as StoredFact
  return withItem(document, 'facts', withUpdatedAt(fact, stored, at))
}

export function removeFact(document: AgentDocument, id: string): Outcome {
  return findItem(document, 'facts', id) ? withoutItem(document, 'facts', id) : refuse('resource.not_found')
}
