/** Output of campaigns: list, staging result, progress and report. */
import { type Exclusion, reasonOfExclusion } from '../../core/campaign/recipient.js'
import { commandLine as limits } from '../../core/limits/index.js'
import { type Cell, type Column, formatTable } from './columns.js'
import { formatCount, formatDuration, sanitizeLine } from './output.js'
import type { Paint, Tone } from './terminal.js'

/** The printed fields of a campaign. */
export interface Campaign {
  readonly id: string
  readonly name: string
  readonly outreachId: string
  readonly status: string
  readonly failReason?: string
  readonly counts?: Counts
  readonly waitsUntil?: string
}

interface Counts {
  readonly total: number
  readonly sendable: number
  readonly exclusions: Readonly<Record<string, number>>
}

export interface Staged {
  readonly counts: Counts
  readonly durationEstimate?: readonly {
    readonly provider: string
    readonly recipients: number
    /** Absent if the provider has no throughput limit. */
    readonly seconds?: number
  }[]
  readonly previews?: readonly { readonly text?: string }[]
}

export interface Report {
  readonly states: Readonly<Record<string, number>>
  readonly reasons: Readonly<Record<string, number>>
}

/** A campaign and its report at one poll. */
export interface CampaignSnapshot extends Report {
  readonly campaign: Campaign
}

const statusTones: Readonly<Record<string, Tone>> = { failed: 'alarm', cancelled: 'warning', paused: 'warning' }
const stateTones: Readonly<Record<string, Tone>> = { failed: 'alarm', suppressed: 'warning', excluded: 'quiet' }
/** States of recipients that are not final. */
const openStates = ['pending', 'queued', 'sending']
/** States of recipients who were excluded before the start. */
const excludedStates = ['excluded']

const statusCell = ({ status }: Campaign): Cell => ({ text: status, tone: statusTones[status] })

export const campaignColumns: readonly Column<Campaign>[] = [
  { head: 'CAMPAIGN', cell: ({ id }) => id },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'OUTREACH', cell: ({ outreachId }) => outreachId },
  { head: 'STATUS', cell: statusCell },
  { head: 'AUDIENCE', isNumber: true, cell: ({ counts }) => (counts ? formatCount(counts.total) : '') },
  { head: 'SENDABLE', isNumber: true, cell: ({ counts }) => (counts ? formatCount(counts.sendable) : '') },
]

type Tally = readonly [name: string, count: number]

const nonZero = (counts: Readonly<Record<string, number>>): Tally[] => Object.entries(counts).filter(([, n]) => n > 0)

/** Staging counts exclusions under other names than the report; the output uses one name for both. */
function toReason([name, count]: Tally): Tally {
  return [reasonOfExclusion[name as Exclusion] ?? name, count]
}

function tallyLines(head: string, tallies: readonly Tally[], paint: Paint): string[] {
  if (tallies.length === 0) return []
  const columns: Column<Tally>[] = [
    { head, cell: ([name]) => ({ text: name, tone: stateTones[name] }) },
    { head: 'PEOPLE', isNumber: true, cell: ([, count]) => formatCount(count) },
  ]
  return formatTable(columns, tallies, paint)
}

export function stagedLines({ counts, durationEstimate = [], previews = [] }: Staged, paint: Paint): string[] {
  const { total, sendable, exclusions } = counts
  const first = previews.find(({ text }) => text)?.text
  return [
    `${formatCount(sendable)} of ${formatCount(total)} people will be sent to.`,
    ...durationEstimate.map(
      ({ provider, recipients, seconds }) =>
        `${sanitizeLine(provider)}: ${formatCount(recipients)} people ${seconds === undefined ? 'without a limit on the rate' : `in about ${formatDuration(seconds)}`}.`,
    ),
    ...(first === undefined ? [] : [`The first of them reads: ${sanitizeLine(first)}`]),
    ...withBlankLine(tallyLines('LEFT OUT', nonZero(exclusions).map(toReason), paint)),
  ]
}

export function reportLines({ states, reasons }: Report, paint: Paint): string[] {
  return [
    ...tallyLines('STATE', nonZero(states), paint),
    ...withBlankLine(tallyLines('REASON', nonZero(reasons), paint)),
  ]
}

const withBlankLine = (lines: readonly string[]) => (lines.length === 0 ? [] : ['', ...lines])

export interface Progress {
  readonly done: number
  readonly total: number
}

export function progressOf({ states }: Report): Progress {
  const sum = (matches: (state: string) => boolean) =>
    Object.entries(states).reduce((all, [state, count]) => all + (matches(state) ? count : 0), 0)
  const total = sum((state) => !excludedStates.includes(state))
  return { done: total - sum((state) => openStates.includes(state)), total }
}

/** One line for one poll; `perSecond` is undefined until two polls have shown it. */
export function progressLine({ campaign, ...report }: CampaignSnapshot, perSecond: number | undefined): string {
  const { done, total } = progressOf(report)
  const share = total === 0 ? 0 : done / total
  const filled = Math.round(share * limits.barChars)
  const bar = `${'#'.repeat(filled)}${'.'.repeat(limits.barChars - filled)}`
  const figures = [
    `[${bar}] ${Math.floor(share * 100)} %`,
    `${formatCount(done)} of ${formatCount(total)}`,
    ...(perSecond === undefined ? [] : [`${perSecond.toFixed(perSecond < 10 ? 1 : 0)} a second`]),
    ...(perSecond && done < total ? [`about ${formatDuration((total - done) / perSecond)} left`] : []),
    campaign.waitsUntil ? `waits until ${campaign.waitsUntil}` : campaign.status,
  ]
  return figures.join('  ')
}

export function watchLines(snapshot: CampaignSnapshot, perSecond: number | undefined, paint: Paint): string[] {
  const { campaign } = snapshot
  const { text, tone } = statusCell(campaign)
  return [
    `${paint(sanitizeLine(campaign.name), 'head')}  ${campaign.id}  ${paint(text, tone)}`,
    progressLine(snapshot, perSecond),
    '',
    ...reportLines(snapshot, paint),
  ]
}
