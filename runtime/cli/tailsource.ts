/**
 * Polls one traffic list and returns each record once. Each poll starts a little before the newest returned record,
 * since shards do not commit in order of time, and drops records that were returned already.
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
  /** New records since the last poll, oldest first, each once. */
  readNew(): Promise<TailRecord[]>
}

interface Page {
  readonly data: readonly (MessageEntry | AgentLogEntry)[]
  readonly nextPageToken?: string
}

export function createSource(api: Pick<Api, 'get'>, path: string, list: SourceKind, test: boolean): Source {
  const kind = list === 'messages' ? 'message' : 'log'
  const includeTest = test && list === 'messages' ? true : undefined
  /** How often each record of the overlap was returned. */
  let seen = new Map<string, { count: number; at: number }>()
  let newest = Number.NEGATIVE_INFINITY

  /** All records since `start`, newest first. */
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
      // Marks the other records of the overlap as seen, so that the next poll does not return them.
      if (records.length > 0) dropSeen(await since(overlapStart()))
      return lines === 0 ? [] : records
    },
    readNew: async () => dropSeen(await since(overlapStart())),
  }
}

/** The parts of a record that never change: a message that is handed over later gets its provider id only then. */
function identityOf(record: TailRecord): string {
  const { timestamp, userId } = record
  if (record.kind === 'log') return JSON.stringify([timestamp, userId, record.event, record.data])
  return JSON.stringify([timestamp, userId, record.origin, record.type, record.subtype, record.messageId])
}
