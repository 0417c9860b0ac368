/**
 * The play with which a step of a turn begins: the session's, or a new one in the playbook that the session begins in.
 */
import type { AgentDocument } from '../agent/index.js'
import type { PlanInput } from './contract.js'
import type { Play } from './play.js'
import type { TurnWarning } from './record.js'

export type Playbook = AgentDocument['playbooks'][number]

export interface BegunPlay {
  readonly play: Play
  /** Why this playbook is active. */
  readonly why: string
  readonly warnings: readonly TurnWarning[]
}

/**
 * An answer to an outreach begins in its playbook, also within a session; an answer to a reminder only when no session
 * is on. Every other session begins in the default playbook, and a running one keeps its own while there is such a one.
 */
export function beginPlay({ prepared: { document }, before, came, start, now }: PlanInput): BegunPlay {
  if (came.kind === 'outcome') return { play: before!, why: 'tool', warnings: [] }
  const { sessionId } = came.trigger
  const continues = before?.sessionId === sessionId
  const opening = start && (start.kind === 'outreach' || !continues) ? start : undefined
  if (before && continues && !opening) {
    const isThere = before.playbookId === undefined || playbookOf(document, before.playbookId) !== undefined
    if (isThere) return { play: before, why: 'session', warnings: [] }
    return { play: { ...before, ...idOf(defaultPlaybookOf(document)), stack: [] }, why: 'default', warnings: [] }
  }
  const openedId = opening?.playbookId
  const opened = openedId === undefined ? undefined : playbookOf(document, openedId)
  const isMissing = openedId !== undefined && !opened
  const play: Play = {
    sessionId,
    startedAt: now,
    ...idOf(opened ?? defaultPlaybookOf(document)),
    ...(opening?.outreachId !== undefined && { outreachId: opening.outreachId }),
    stack: [],
    summary: { playbooks: [], outcomes: [], savedFields: [] },
  }
  return {
    play,
    why: opened ? opening!.kind : 'default',
    warnings: isMissing ? [{ code: 'flow.missing', message: `There is no playbook ${openedId}.` }] : [],
  }
}

function playbookOf({ playbooks }: AgentDocument, id: string): Playbook | undefined {
  return playbooks.find((each) => each.id === id)
}

/** Absent for an agent without a playbook of its own. */
export function defaultPlaybookOf({ playbooks }: AgentDocument): Playbook | undefined {
  return playbooks.find(({ isDefault }) => isDefault) ?? playbooks.find(({ outreachId }) => outreachId === undefined)
}

export function idOf(playbook: Playbook | undefined): { readonly playbookId?: string } {
  return playbook ? { playbookId: playbook.id } : {}
}
