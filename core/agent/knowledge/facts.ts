/** Facts: what is left unsaid of one is filled in, and when it last changed is told by the house. */
import { type FieldError, invalid, type Refusal, refuse } from '../../errors.js'
import { agentLimits as limits } from '../../limits.js'
import { finish, mapInSteps, type Steps } from '../../steps.js'
import { type AgentDocument, find, type Item, withItem, withoutItem, withSection } from '../document.js'
import { FactBody, FactPatch, FactsBody, Fact as Kept } from '../resources/knowledge.js'
import { freeSlug, slugGiver } from '../slug.js'
import { canonical } from '../transfer/canonical.js'
import { invalidFields, isSame, misshapen, type Outcome, tidy } from '../writing.js'

type Fact = Item<'facts'>

const unsaid = { exact: false, enabled: true, source: 'operator', confirmed: true, alwaysOn: false } as const

/** The fact as it is kept. What did not change keeps its time. */
function becomes(sent: FactBody, id: string, kept: Fact | undefined, at: string | undefined): Kept {
  const { verbatim, updatedAt, ...rest } = sent
  const fact = tidy({ ...unsaid, ...(verbatim !== undefined && { exact: verbatim }), ...tidy(rest), id })
  return dated(fact, kept, at ?? updatedAt)
}

function dated(fact: Kept, kept: Fact | undefined, at: string | undefined): Kept {
  const asKept = { ...fact, updatedAt: kept?.updatedAt }
  return tidy(kept !== undefined && isSame(asKept, kept) ? asKept : { ...fact, updatedAt: at })
}

function scopeFaults(document: AgentDocument, { scope }: Pick<FactPatch, 'scope'>, at: string): FieldError[] {
  if (!scope) return []
  const known = new Set(document.playbooks.map(({ id }) => id))
  return scope.playbooks.flatMap((id, place) =>
    known.has(id)
      ? []
      : [
          {
            field: `${at}scope.playbooks[${place}]`,
            code: 'fact.scope.unknown',
            message: `There is no playbook ${id}`,
          },
        ],
  )
}

/** PUT of the whole list; `isShaped` where its shape was judged before. Without a time what is sent keeps the one it says: an import does that. */
export function* replaceFactsInSteps(
  document: AgentDocument,
  body: unknown,
  at?: string,
  isShaped = false,
): Steps<Outcome> {
  const wrong = isShaped ? undefined : misshapen(FactsBody, body)
  if (wrong) return wrong
  const { facts } = body as { facts: FactBody[] }
  const faults = facts.flatMap((fact, place) => scopeFaults(document, fact, `facts[${place}].`))
  if (faults.length > 0) return invalidFields(faults)
  const taken = new Set(facts.flatMap(({ id }) => id ?? []))
  const kept = new Map(document.facts.map((fact) => [fact.id, fact]))
  const slugFor = slugGiver((slug) => taken.has(slug))
  const made = yield* mapInSteps(facts, (fact) => {
    const id = fact.id ?? slugFor(fact.question, 'fact')
    taken.add(id)
    return canonical(Kept, becomes(fact, id, kept.get(id), at))
  })
  return withSection(document, 'facts', made)
}

export function factsReplaced(...given: Parameters<typeof replaceFactsInSteps>): Outcome {
  return finish(replaceFactsInSteps(...given))
}

export function factAdded(
  document: AgentDocument,
  body: unknown,
  at: string,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(FactBody, body)
  if (wrong) return wrong
  const sent = body as FactBody
  const faults = scopeFaults(document, sent, '')
  if (faults.length > 0) return invalidFields(faults)
  const isTaken = (slug: string) => find(document, 'facts', slug) !== undefined
  if (sent.id !== undefined && isTaken(sent.id)) return invalid('id', 'is the id of another fact')
  if (document.facts.length >= limits.facts.most) return invalid('facts', `must hold at most ${limits.facts.most}`)
  const id = sent.id ?? freeSlug(sent.question, 'fact', isTaken)
  return { document: withItem(document, 'facts', becomes(sent, id, undefined, at)), id }
}

/** Null takes away a scope, and what else the question is asked as. */
export function factPatched(document: AgentDocument, id: string, body: unknown, at: string): Outcome {
  const wrong = misshapen(FactPatch, body)
  const kept = find(document, 'facts', id)
  if (wrong || !kept) return wrong ?? refuse('resource.not_found')
  const { scope, alternates, verbatim, exact = verbatim, ...sent } = body as FactPatch
  if (sent.id !== undefined && sent.id !== id) return invalid('id', 'must be the id of the path')
  const faults = scopeFaults(document, { scope }, '')
  if (faults.length > 0) return invalidFields(faults)
  const cleared = { ...(scope === null && { scope: undefined }), ...(alternates === null && { alternates: undefined }) }
  const given = { ...(scope && { scope }), ...(alternates && { alternates }), ...(exact !== undefined && { exact }) }
  const fact = tidy({ ...unsaid, ...kept, ...sent, ...cleared, ...given }) as Kept
  return withItem(document, 'facts', dated(fact, kept, at))
}

export function factRemoved(document: AgentDocument, id: string): Outcome {
  return find(document, 'facts', id) ? withoutItem(document, 'facts', id) : refuse('resource.not_found')
}
