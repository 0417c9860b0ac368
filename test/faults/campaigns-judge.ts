/**
 * Checks a finished campaign: every person counted once and sent to at most once, no person passed over, and no report
 * without the provider's record.
 */
import type { CampaignAgent, SeenReport, SeenRow } from './campaigns-agent.js'
import { isIncapable } from './sends-provider.js'
import type { Arrival } from './sends-record.js'

export interface CampaignVerdict {
  readonly missing: number
  readonly doubled: number
  readonly problems: readonly string[]
  readonly states: Readonly<Record<string, number>>
}

const sentStates: readonly string[] = ['sent', 'delivered', 'read']
const openStates: readonly string[] = ['pending', 'queued', 'sending']

type AddFinding = (kind: 'missing' | 'doubled' | undefined, sentence: string) => void

/** `arrivals`: messages at the provider since the campaign was drafted. */
export async function judgeCampaign(
  agent: CampaignAgent,
  id: string,
  arrivals: readonly Arrival[],
): Promise<CampaignVerdict> {
  const problems: string[] = []
  const count = { missing: 0, doubled: 0 }
  const addFinding: AddFinding = (kind, sentence) => {
    if (kind) count[kind]++
    problems.push(`${id}: ${sentence}`)
  }
  const [rows, report, phones, sends] = await Promise.all([
    agent.rows(id),
    agent.report(id),
    agent.phones(),
    agent.sends(id),
  ])
  const people = agent.crowd.agreed + agent.crowd.others
  if (rows.length !== people) addFinding('missing', `${rows.length} rows of ${people} people`)
  if (new Set(rows.map(({ personId }) => personId)).size !== rows.length) addFinding('doubled', 'somebody has two rows')
  for (const sentence of countDifferences(rows, report)) addFinding(undefined, sentence)
  const sendIds = new Set(rows.map(({ sendId }) => sendId))
  if (sends.length !== rows.filter(({ sendId }) => sendId !== undefined).length) {
    addFinding('doubled', `${sends.length} sends of ${sendIds.size} rows`)
  }
  for (const { sendId } of sends) if (!sendIds.has(sendId)) addFinding('doubled', `${sendId} is nobody's row`)
  for (const row of rows) {
    const phone = phones.get(row.personId)
    judgeRow(row, phone, phone === undefined ? [] : arrivals.filter((each) => each.phone === phone), addFinding)
  }
  const agreed = rows.filter(({ personId }) => phones.has(personId)).length
  if (agreed !== agent.crowd.agreed) addFinding('missing', `${agreed} of ${agent.crowd.agreed} who agreed have rows`)
  return { ...count, problems, states: report.states }
}

/** `phone`: absent for people without consent. `own`: the provider's messages for that person. */
function judgeRow(
  { personId, state, reason }: SeenRow,
  phone: string | undefined,
  own: readonly Arrival[],
  addFinding: AddFinding,
): void {
  const ids = new Set(own.map((each) => each.id))
  if (ids.size > 1) addFinding('doubled', `${personId} was sent ${ids.size} messages`)
  if (openStates.includes(state)) return addFinding(undefined, `it is over, and ${personId} is ${state}`)
  if (phone === undefined) {
    if (state !== 'excluded') addFinding(undefined, `${personId} never agreed, and is ${state}`)
  } else if (sentStates.includes(state)) {
    if (!own.some(({ isAccepted }) => isAccepted))
      addFinding('missing', `${personId} is ${state}, and the provider never took it`)
  } else if (!isIncapable(phone) && !own.some(({ isAccepted, isAnswered }) => !isAccepted || !isAnswered)) {
    addFinding('missing', `${personId} was passed over: ${state} ${reason}, and the provider never turned them down`)
  }
}

function countDifferences(rows: readonly SeenRow[], { states, reasons, total }: SeenReport): string[] {
  const apart = [
    ...differenceText(
      states,
      rows.map(({ state }) => state),
    ),
    ...differenceText(
      reasons,
      rows.flatMap(({ reason }) => reason ?? []),
    ),
  ]
  return total === rows.length ? apart : [...apart, `${total} are counted, and there are ${rows.length} rows`]
}

function differenceText(counted: Readonly<Record<string, number>>, seen: readonly string[]): string[] {
  return [...new Set([...Object.keys(counted), ...seen])].flatMap((name) => {
    const occurrences = seen.filter((each) => each === name).length
    return occurrences === (counted[name] ?? 0)
      ? []
      : [`${counted[name] ?? 0} are counted as ${name}, and ${occurrences} rows are`]
  })
}
