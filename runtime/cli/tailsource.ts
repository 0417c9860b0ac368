/**
 * One list of traffic that is looked at again and again. Each look goes back a little before the newest record it has
 * told of, since shards do not commit in the order of time, and whatever was told already is left out.
 */
import { commandLine as limits } from '../../core/limits/index.js'
import type { AgentLogEntry, MessageEntry } from '../../core/traffic/view.js'
import type { Api } from './api.js'
import { withQuery } from './output.js'

export type SourceKind = 'messages' | 'logs'
export type TailRecord = ({ readonly kind: 'message' } & MessageEntry) | ({ readonly kind: 'log' } & AgentLogEntry)

export interface Source {
  /** The newest records, oldest first. */
  readLatest(lines: number): Promise<TailRecord[]>
  /** What came since, oldest first, each once. */
  readNew(): Promise<TailRecord[]>
}

interface Page {
  readonly data: readonly (MessageEntry | AgentLogEntry)[]
  readonly nextPageToken?: string
}

export function createSource(api: Pick<Api, 'get'>, path: string, list: SourceKind, test: boolean): Source {
  const kind = list === 'messages' ? 'message' : 'log'
  const includeTest = test && list === 'messages' ? true : undefined
  /** How often each record was told that a look may come upon again. */
  let seen = new Map<string, { count: number; at: number }>()
  let newest = Number.NEGATIVE_INFINITY

  /** All since that moment, newest first. */
  async function since(start: number | undefined): Promise<TailRecord[]> {
    const all: TailRecord[] = []
    let pageToken: string | undefined
    do {
      const query = { start, includeTest, limit: limits.tailPageRows, pageToken }
      const page: Page = await api.get<Page>(withQuery(`${path}/${list}`, query))
      all.push(...(page.data.map((each) => ({ kind, ...each })) as TailRecord[]))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    return all
  }

  function dropSeen(page: readonly TailRecord[]): TailRecord[] {
    const counts = new Map<string, number>()
    const fresh: TailRecord[] = []
    for (const each of [...page].reverse()) {
      const name = identityOf(each)
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      const at = Date.parse(each.timestamp)
      if (count <= (seen.get(name)?.count ?? 0)) continue
      seen.set(name, { count, at })
      newest = Math.max(newest, at)
      fresh.push(each)
    }
    seen = new Map([...seen].filter(([, { at }]) => at >= newest - limits.tailOverlapMs))
    return fresh
  }

  const overlapStart = () => (Number.isFinite(newest) ? Math.max(0, newest - limits.tailOverlapMs) : undefined)

  return {
    async readLatest(lines) {
      const first = { includeTest, limit: Math.max(1, lines) }
      const { data } = await api.get<Page>(withQuery(`${path}/${list}`, first))
      const records = dropSeen(data.map((each) => ({ kind, ...each })) as TailRecord[])
      // What the next look would come upon again and nobody asked to see counts as told.
      if (records.length > 0) dropSeen(await since(overlapStart()))
      return lines === 0 ? [] : records
    },
    readNew: async () => dropSeen(await since(overlapStart())),
  }
}

/** What of a record never changes: a message that was handed on later has its provider’s id, too. */
function identityOf(record: TailRecord): string {
  const { timestamp, userId } = record
  if (record.kind === 'log') return JSON.stringify([timestamp, userId, record.event, record.data])
  return JSON.stringify([timestamp, userId, record.origin, record.type, record.subtype, record.messageId])
}
