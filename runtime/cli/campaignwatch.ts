/** Watches a campaign until it ends: a progress bar on a terminal, otherwise one line for each change. */
import { commandLine as limits } from '../../core/limits/index.js'
import {
  type Campaign,
  type CampaignSnapshot,
  progressLine,
  progressOf,
  type Report,
  watchLines,
} from './campaignlines.js'
import { Failure } from './failure.js'
import { pollNext } from './polling.js'
import type { Session } from './program.js'

const finalStatuses = ['completed', 'cancelled', 'failed']

export async function watchCampaign(session: Session, path: string): Promise<void> {
  const { api, terminal } = session
  const rate = createRateMeter()
  let snapshot = await fetchSnapshot()
  let printed: string | undefined
  for (;;) {
    printed = print(session, snapshot, rate(snapshot, performance.now()), printed)
    if (finalStatuses.includes(snapshot.campaign.status)) break
    snapshot = await pollNext(terminal, fetchSnapshot)
  }
  const { name, status, failReason } = snapshot.campaign
  if (status !== 'completed') {
    throw new Failure(`The campaign ${JSON.stringify(name)} ended ${status}${failReason ? `: ${failReason}` : ''}.`)
  }

  async function fetchSnapshot(): Promise<CampaignSnapshot> {
    const [campaign, report] = await Promise.all([api.get<Campaign>(path), api.get<Report>(`${path}/report`)])
    return { campaign, states: report.states, reasons: report.reasons }
  }
}

/** Returns the last printed line, so that the same line is not printed twice where lines stay. */
function print(
  { terminal, json }: Session,
  snapshot: CampaignSnapshot,
  perSecond: number | undefined,
  printedBefore?: string,
): string {
  if (json) {
    const line = JSON.stringify(snapshot)
    if (line !== printedBefore) terminal.print([line])
    return line
  }
  if (terminal.isInteractive) {
    terminal.draw([...watchLines(snapshot, perSecond, terminal.paint), ''])
    return ''
  }
  const summary = JSON.stringify([snapshot.campaign.status, snapshot.states])
  if (summary !== printedBefore) terminal.print([progressLine(snapshot, perSecond)])
  return summary
}

/** People per second over the last polls; undefined after a single poll, and while nothing is sent. */
export function createRateMeter(): (snapshot: CampaignSnapshot, atMs: number) => number | undefined {
  let samples: { readonly done: number; readonly atMs: number }[] = []
  return (snapshot, atMs) => {
    if (snapshot.campaign.status !== 'running') {
      samples = []
      return undefined
    }
    samples = [...samples, { done: progressOf(snapshot).done, atMs }].slice(-limits.ratePolls)
    const first = samples[0]!
    return samples.length < 2 || atMs <= first.atMs
      ? undefined
      : ((samples.at(-1)!.done - first.done) * 1000) / (atMs - first.atMs)
  }
}
