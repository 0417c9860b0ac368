/** The capabilities that a playbook may use: the valid ids of an agent, and the default. */
import { type Refusal, refuseFields } from '../errors.js'
import type { AgentDocument } from './document.js'

/** Valid on every agent. `knowledge` has no effect: it is always available. */
export const plainUses = ['scheduling', 'people', 'notify', 'knowledge'] as const

export const usesPrefix = 'integration:'

export function isUse(use: string): boolean {
  return (plainUses as readonly string[]).includes(use)
}

/** Every id that `uses` may hold on this agent. */
export function usesOf({ integrations }: Pick<AgentDocument, 'integrations'>): string[] {
  return [...plainUses, ...integrations.map(({ id }) => `${usesPrefix}${id}`)]
}

/** The default of a playbook without `uses`: everything but `knowledge`, which needs no entry. */
export function defaultUses(document: Pick<AgentDocument, 'integrations'>): string[] {
  return usesOf(document).filter((use) => use !== 'knowledge')
}

/** The ids without duplicates, or the refusal that names the unknown ones. */
export function checkUses(
  document: Pick<AgentDocument, 'integrations'>,
  uses: readonly string[],
  at = 'uses',
): string[] | Refusal {
  const vocabulary = usesOf(document)
  const knownUses = new Set(vocabulary)
  const errors = uses.flatMap((use, index) =>
    knownUses.has(use)
      ? []
      : [
          {
            field: `${at}[${index}]`,
            code: 'agent.playbook.uses_unknown',
            message: `${use} is none of ${vocabulary.join(', ')}`,
          },
        ],
  )
  if (errors.length === 0) return [...new Set(uses)]
  const unknown = [...new Set(uses.filter((use) => !knownUses.has(use)))]
  const title = `There is no capability ${unknown.join(', ')}; a playbook uses ${vocabulary.join(', ')}`
  return refuseFields('agent.playbook.uses_unknown', errors, `${errors[0]?.field}: ${title}.`, { extra: { title } })
}
