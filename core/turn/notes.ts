/**
 * Log notes of a turn, from its record alone, so that record and log cannot disagree. They name things by their ids and
 * have no words of people: those stand in the record, which fewer callers read.
 */
import type { LogEventName, LogNote } from '../catalogs/logevents.js'
import { turnNotes as limits } from '../limits/index.js'
import type { TurnRecord, WarningCode } from './record.js'
import { cut, type TurnNote, toolNote } from './toolnotes.js'

/**
 * The notes of a turn in the order in which things happened. A turn that is still open has no note of its end. Their
 * number and their sizes are bounded whatever the record holds.
 */
export function notesOf(record: TurnRecord): readonly LogNote[] {
  const notes = [
    ...playbookNotes(record),
    ...foundNotes(record),
    ...modelNotes(record),
    ...flowNotes(record),
    ...record.toolCalls.flatMap((call) => toolNote(call) ?? []).slice(0, limits.perKind),
    ...ruleNotes(record),
    ...goalNotes(record),
  ]
  return [dispatched(record), ...notes, ...warningNotes(record, notes), ...endNotes(record)].map(
    ({ event, data, warning }) => ({ event, data: { turnId: record.id, ...data, ...(warning && { warning }) } }),
  )
}

function dispatched({ trigger }: TurnRecord): TurnNote {
  const { kind, opening, eventIds } = trigger
  const data = { trigger: kind, ...(opening && { opening }), eventIds: eventIds.slice(0, limits.values).map(cut) }
  return { event: 'framework.dispatched', data }
}

function playbookNotes({ playbook: { before, after, why } }: TurnRecord): TurnNote[] {
  if (before === after) return []
  return [
    ...(before === undefined ? [] : [note('playbook.left', { playbook: cut(before) })]),
    ...(after === undefined ? [] : [note('playbook.entered', { playbook: cut(after), reason: cut(why) })]),
  ]
}

/** A search that found nothing is a note as well. */
function foundNotes({ found, toolCalls }: TurnRecord): TurnNote[] {
  const isSearched = toolCalls.some(({ name, state }) => name === 'knowledge.search' && state === 'ok')
  if (found.length === 0 && !isSearched) return []
  const hits = found.slice(0, limits.values).map(({ kind, id, score }) => ({ kind, id: cut(id), score }))
  return [note('knowledge.searched', { hits })]
}

function modelNotes({ modelCalls }: TurnRecord): TurnNote[] {
  return modelCalls.slice(0, limits.perKind).flatMap(({ error, promptHash: _hash, promptChars: _chars, ...call }) => {
    const data = { ...call, purpose: cut(call.purpose), model: cut(call.model) }
    const retried: TurnNote[] =
      call.attempts > 1 ? [{ event: 'llm.retried', data: { model: data.model }, warning: 'model.retried' }] : []
    return error === undefined
      ? [...retried, note('llm.call', data)]
      : [
          ...retried,
          { event: 'llm.failed' as const, data: { ...data, why: cut(error) }, warning: 'model.failed' as const },
        ]
  })
}

function flowNotes({ flow, outcomes, playbook }: TurnRecord): TurnNote[] {
  const ofPlaybook = playbook.after === undefined ? {} : { playbook: cut(playbook.after) }
  const reached = outcomes.length > 0 || flow?.outcome === undefined ? outcomes : [flow.outcome]
  return [
    ...(flow ? stepNotes(flow, ofPlaybook) : []),
    ...reached
      .slice(0, limits.perKind)
      .map((outcome) => note('flow.completed', { ...ofPlaybook, outcome: cut(outcome) })),
  ]
}

/** The values of slots are words of people: their names say how far the flow is. */
function stepNotes({ from, to, slots }: NonNullable<TurnRecord['flow']>, ofPlaybook: object): TurnNote[] {
  const step = { ...(from !== undefined && { from: cut(from) }), ...(to !== undefined && { to: cut(to) }) }
  const names = Object.keys(slots).slice(0, limits.values).map(cut)
  return [
    ...(from === undefined ? [note('flow.started', { ...ofPlaybook })] : []),
    note('flow.step', { ...ofPlaybook, ...step, slots: names }),
  ]
}

function ruleNotes({ rules }: TurnRecord): TurnNote[] {
  return rules.slice(0, limits.perKind).map(({ ruleId, action }) => {
    const name = action === 'block' ? 'rule.blocked' : 'rule.flagged'
    return { event: name, data: { ruleId: cut(ruleId) }, warning: name }
  })
}

function goalNotes({ goal }: TurnRecord): TurnNote[] {
  return goal?.reached ? [note('goal.reached', { goal: cut(goal.id), from: goal.from })] : []
}

/** The event of each warning; none for what only informs. */
const eventOfWarning: Readonly<Record<WarningCode, LogEventName | undefined>> = {
  'model.absent': 'framework.warning',
  'model.retried': 'llm.retried',
  'model.failed': 'llm.failed',
  'model.cut': 'framework.warning',
  'model.malformed': 'llm.retried',
  'aml.repaired': 'aml.warning',
  'aml.stripped': 'aml.problem',
  'tool.refused': 'tool.refused',
  'tool.failed': 'tool.failed',
  'tool.unknown': 'tool.failed',
  'tool.unavailable': 'framework.warning',
  'rule.blocked': 'rule.blocked',
  'rule.flagged': 'rule.flagged',
  'fact.restored': 'framework.warning',
  'disclaimer.added': undefined,
  'ground.removed': 'framework.warning',
  'ground.unseen': 'framework.warning',
  'template.blocked': 'template.slot_missing',
  'flow.stuck': 'flow.stuck',
  'flow.slot.exhausted': 'framework.warning',
  'flow.missing': 'framework.warning',
  'budget.calls': 'framework.warning',
  'budget.tools': 'framework.warning',
  'turn.deadline': 'framework.warning',
}

/** One note for each code that no other note stands for. Sentences may quote people, so they stay in the record. */
function warningNotes({ warnings }: TurnRecord, notes: readonly TurnNote[]): TurnNote[] {
  const covered = new Set(notes.map(({ warning }) => warning))
  const codes = new Set(warnings.map(({ code }) => code))
  return [...codes].flatMap((code) => {
    const event = eventOfWarning[code]
    if (!event || covered.has(code)) return []
    return [{ event, data: { times: warnings.filter((each) => each.code === code).length }, warning: code }]
  })
}

const reasons: ReadonlyMap<TurnRecord['endedBy'], string> = new Map([
  ['stopped', 'The person opted out.'],
  ['deadline', 'The turn did not end within its deadline.'],
  ['webhook', 'The agent has a webhook now.'],
  ['agentGone', 'The agent was deleted.'],
  ['superseded', 'Another turn took its place.'],
])

function endNotes({ state, endedBy, took, messages, effects, test }: TurnRecord): TurnNote[] {
  if (state === 'open') return []
  const data = { ms: took.total, messages: messages.length }
  const why = reasons.get(endedBy) ?? 'The turn could not be completed.'
  const kinds = [...new Set(effects.map(({ kind }) => kind))].slice(0, limits.values).map(cut)
  return [
    state === 'completed' ? note('framework.replied', data) : note('framework.failed', { ...data, why }),
    ...(test && kinds.length > 0 ? [note('emulator.turn', { captured: kinds })] : []),
  ]
}

function note(event: LogEventName, data: TurnNote['data']): TurnNote {
  return { event, data }
}
