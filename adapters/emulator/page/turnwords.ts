/** The record of a turn in plain words, for people who have never seen one. */
import type { ToolCallRecord, TurnRecord } from '../../../core/turn/record.js'

const triggers: Readonly<Record<TurnRecord['trigger']['kind'], string>> = {
  message: 'The person wrote',
  result: 'The person answered',
  started: 'The conversation began',
  quiet: 'The conversation had been quiet for a while',
}

const openings: Readonly<Record<NonNullable<TurnRecord['trigger']['opening']>, string>> = {
  outreach: 'An answer to an outreach.',
  reminder: 'An answer to a reminder.',
  link: 'An answer to an outreach link.',
}

/** What the turn answers. */
export function triggerWords({ kind, text, opening }: TurnRecord['trigger']): string {
  const what = text === undefined ? `${triggers[kind]}.` : `${triggers[kind]} “${text}”.`
  return opening === undefined ? what : `${what} ${openings[opening]}`
}

const ends: ReadonlyMap<TurnRecord['endedBy'], string> = new Map([
  ['stopped', 'Cut off: the person opted out.'],
  ['deadline', 'Cut off: it took too long.'],
  ['webhook', 'Cut off: the agent has a webhook now.'],
  ['agentGone', 'Cut off: the agent was deleted.'],
  ['superseded', 'Cut off: the person wrote again.'],
])

/** How the turn stands, where that is not simply done. */
export function stateWords({ state, endedBy }: Pick<TurnRecord, 'state' | 'endedBy'>): string | undefined {
  if (state === 'open') return 'Still under way.'
  if (state === 'completed') return undefined
  return state === 'cut' ? (ends.get(endedBy) ?? 'Cut off.') : 'It failed: the person got a stock sentence.'
}

/** The playbook before and after. */
export function playbookWords({ before, after }: TurnRecord['playbook']): string {
  if (after === undefined) return before === undefined ? 'No playbook' : `Left ${before}`
  if (before === undefined) return `Began in ${after}`
  return before === after ? `Stayed in ${after}` : `From ${before} to ${after}`
}

const reasons: Readonly<Record<string, string>> = {
  session: 'The conversation goes on where it was.',
  tool: 'A tool has answered.',
  default: 'Conversations begin there.',
  chip: 'The person picked it.',
  route: 'The text asks for it.',
  handoff: 'A flow handed over to it.',
  outreach: 'The person answered an outreach.',
  reminder: 'The person answered a reminder.',
  link: 'The person followed a link.',
}

/** Why the turn was in its playbook. */
export function reasonWords({ why }: Pick<TurnRecord['playbook'], 'why'>): string {
  return reasons[why] ?? why
}

const stepKinds: Readonly<Record<string, string>> = {
  collect: 'Collect',
  say: 'Say',
  action: 'Act',
  branch: 'Branch',
  call: 'Call',
  handoff: 'Hand over',
  end: 'End',
}

export interface WalkedStep {
  readonly playbook: string
  /** The step's id, or its place from 1. */
  readonly step: string
  readonly kind: string
}

/** The steps of flows among the lines of a trace, and its other lines. */
export function readTrace(trace: readonly string[]): { steps: readonly WalkedStep[]; others: readonly string[] } {
  const steps: WalkedStep[] = []
  const others: string[] = []
  for (const line of trace) {
    const [, playbook, step = '', kind = ''] = /^([^:\s]+):(\S+) (\w+)$/.exec(line) ?? []
    const word = stepKinds[kind]
    if (playbook === undefined || word === undefined) others.push(line)
    else steps.push({ playbook, step: /^\d+$/.test(step) ? String(Number(step) + 1) : step, kind: word })
  }
  return { steps, others }
}

/** A slot's value as the person read or wrote it. */
export function valueWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return 'label' in value ? String(value.label) : JSON.stringify(value)
}

const toolStates: Readonly<Record<ToolCallRecord['state'], string>> = {
  ok: 'done',
  captured: 'noted, not sent: a sandbox',
  refused: 'refused',
  failed: 'failed',
  unknown: 'outcome unknown',
  cancelled: 'not finished',
  pending: 'under way',
}

export function toolWords({ state, ms }: Pick<ToolCallRecord, 'state' | 'ms'>): string {
  return ms === undefined ? toolStates[state] : `${toolStates[state]} in ${millis(ms)}`
}

export function isToolDone({ state }: Pick<ToolCallRecord, 'state'>): boolean {
  return state === 'ok' || state === 'captured'
}

export interface TimeShare {
  readonly name: keyof TurnRecord['took']
  readonly label: string
  readonly ms: number
}

const timeLabels: readonly (readonly [TimeShare['name'], string])[] = [
  ['waiting', 'Waiting to begin'],
  ['gathering', 'Reading what it knows'],
  ['model', 'Language model'],
  ['tools', 'Tools'],
  ['committing', 'Saving'],
]

/** Where the time went, without the parts that took none. */
export function timeShares(took: TurnRecord['took']): readonly TimeShare[] {
  return timeLabels.map(([name, label]) => ({ name, label, ms: took[name] })).filter(({ ms }) => ms > 0)
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

export function millis(ms: number): string {
  return ms < 1_000 ? `${number.format(ms)} ms` : `${number.format(ms / 1_000)} s`
}

export function score(value: number): string {
  return value.toFixed(2)
}

/** Warnings inform, except these, which are part of normal work. */
const plainNotes: ReadonlySet<string> = new Set(['disclaimer.added'])

export function isAlarming({ code }: TurnRecord['warnings'][number]): boolean {
  return !plainNotes.has(code)
}
