/** Pages of lists over many shards: asks them in rounds until the page is full. */
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { traffic as limits } from '../../core/limits/index.js'
import { mergePages, type Position, type ScanPage } from '../../core/traffic/merge.js'
import type { RecordPage } from '../../core/traffic/query.js'
import type { Clock } from '../clock.js'
import type { Shards } from '../shard/contract.js'
import { recordQueries } from './queries.js'

export type FetchPage<T> = (after: Position | undefined, limit: number) => Promise<readonly ScanPage<T>[] | Refusal>

export interface PageRequest<T> {
  readonly limit: number
  readonly after?: Position
  /** How many of the queried shards are expected to have rows for the page. */
  readonly sources: number
  /** Entries with the same name are one entry. */
  readonly nameOf?: (entry: T) => string
}

export type CollectPage = <T>(fetchPage: FetchPage<T>, request: PageRequest<T>) => Promise<RecordPage<T> | Refusal>

export function createPageCollector(clock: Pick<Clock, 'nextTick'>): CollectPage {
  const yieldTurn = () => new Promise<void>((resolve) => clock.nextTick(resolve))

  /**
   * Each round begins at the position that the last one reached and asks for twice as many rows; the event loop gets a
   * turn between rounds.
   */
  return async function collectPage<T>(fetchPage: FetchPage<T>, { limit, after, sources, nameOf }: PageRequest<T>) {
    const data: { position: Position; entry: T }[] = []
    const names = new Set<string>()
    let share = Math.ceil(limit / sources) + (sources > 1 ? limits.slackRows : 0)
    let from = after
    for (let round = 0; round < limits.roundsPerPage; round++) {
      if (round > 0) await yieldTurn()
      const scans = await fetchPage(from, Math.min(share, limit - data.length))
      if (isRefusal(scans)) return scans as Refusal
      const { rows, scannedTo } = mergePages(scans as readonly ScanPage<T>[])
      for (const row of rows) {
        const name = nameOf?.(row.entry)
        if (name !== undefined && names.has(name)) continue
        if (name !== undefined) names.add(name)
        if (data.length === limit) return pageOf(data, data.at(-1)!.position)
        data.push(row)
      }
      if (!scannedTo) return pageOf(data)
      if (data.length === limit) return pageOf(data, data.at(-1)!.position)
      from = scannedTo
      share *= 2
    }
    return pageOf(data, from)
  }
}

function pageOf<T>(rows: readonly { entry: T }[], last?: Position): RecordPage<T> {
  return { data: rows.map(({ entry }) => entry), ...(last && { last }) }
}

/**
 * The person whose history has the records, by session where only the session is given. Null when no person has it;
 * undefined when the query names neither.
 */
export async function findOwner(
  shards: Pick<Shards, 'queryAll'>,
  agent: AgentRef,
  { userId, filter }: { readonly userId?: string; readonly filter: { readonly sessionId?: string } },
): Promise<string | null | undefined | Refusal> {
  const { sessionId } = filter
  if (userId !== undefined || sessionId === undefined) return userId
  const owners = await shards.queryAll(recordQueries.sessionOwner, { ...agent, sessionId })
  return isRefusal(owners) ? owners : (owners.find((asid) => asid !== null) ?? null)
}
