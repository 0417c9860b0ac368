/** Watches a campaign until it has ended: a bar on a terminal, a line when something has changed anywhere else. */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine as limits } from '../../core/limits.js'
import { type Campaign, type Looked, progressLine, progressOf, type Report, watchLines } from './campaignlines.js'
import { Failure } from './failure.js'
import type { Session } from './program.js'

const endings = ['completed', 'cancelled', 'failed']

/** Only the first look may fail: whoever watches wants to see a node go and come back. */
export async function watchCampaign(session: Session, path: string): Promise<void> {
  const { api, terminal } = session
  const pace = openPace()
  let looked = await look()
  let shown: string | undefined
  for (;;) {
    shown = print(session, looked, pace(looked, performance.now()), shown)
    if (endings.includes(looked.campaign.status)) break
    looked = await next()
  }
  const { name, status, failReason } = looked.campaign
  if (status !== 'completed') {
    throw new Failure(`The campaign ${JSON.stringify(name)} ended ${status}${failReason ? `: ${failReason}` : ''}.`)
  }

  async function look(): Promise<Looked> {
    const [campaign, report] = await Promise.all([api.get<Campaign>(path), api.get<Report>(`${path}/report`)])
    return { campaign, states: report.states, reasons: report.reasons }
  }

  async function next(): Promise<Looked> {
    for (;;) {
      await sleep(limits.watchEveryMs)
      try {
        return await look()
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        terminal.say(error.message)
      }
    }
  }
}

/** Answers what it has printed last, so that nothing is told twice where lines stay. */
function print({ terminal, json }: Session, looked: Looked, perSecond: number | undefined, before?: string): string {
  if (json) {
    const line = JSON.stringify(looked)
    if (line !== before) terminal.print([line])
    return line
  }
  if (terminal.isWatched) {
    terminal.draw([...watchLines(looked, perSecond, terminal.paint), ''])
    return ''
  }
  const what = JSON.stringify([looked.campaign.status, looked.states])
  if (what !== before) terminal.print([progressLine(looked, perSecond)])
  return what
}

/** People a second over the last looks; undefined while there was only one, or nothing is being sent. */
export function openPace(): (looked: Looked, atMs: number) => number | undefined {
  let looks: { readonly done: number; readonly atMs: number }[] = []
  return (looked, atMs) => {
    if (looked.campaign.status !== 'running') {
      looks = []
      return undefined
    }
    looks = [...looks, { done: progressOf(looked).done, atMs }].slice(-limits.rateLooks)
    const first = looks[0]!
    return looks.length < 2 || atMs <= first.atMs
      ? undefined
      : ((looks.at(-1)!.done - first.done) * 1000) / (atMs - first.atMs)
  }
}
