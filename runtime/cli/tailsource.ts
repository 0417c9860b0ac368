/**
 * One list of traffic that is looked at again and again. Each look goes back a little before the newest record it has
 * told of, since shards do not commit in the order of time, and whatever was told already is left out.
 */
import { commandLine as limits } from '../../core/limits.js'
import type { AgentLogEntry, MessageEntry } from '../../core/traffic/view.js'
import type { Api } from './api.js'
import { withQuery } from './output.js'

export type SourceKind = 'messages' | 'logs'
export type Told = ({ readonly kind: 'message' } & MessageEntry) | ({ readonly kind: 'log' } & AgentLogEntry)

export interface Source {
  /** The newest records, oldest first. */
  past(lines: number): Promise<Told[]>
  /** What came since, oldest first, each once. */
  news(): Promise<Told[]>
}

interface Page {
  readonly data: readonly (MessageEntry | AgentLogEntry)[]
  readonly nextPageToken?: string
}

export function openSource(api: Pick<Api, 'get'>, path: string, list: SourceKind, test: boolean): Source {
  const kind = list === 'messages' ? 'message' : 'log'
  const includeTest = test && list === 'messages' ? true : undefined
  /** How often each record was told that a look may come upon again. */
  let known = new Map<string, { count: number; at: number }>()
  let newest = Number.NEGATIVE_INFINITY

  /** All since that moment, newest first. */
  async function since(start: number | undefined): Promise<Told[]> {
    const all: Told[] = []
    let pageToken: string | undefined
    do {
      const query = { start, includeTest, limit: limits.tailPageRows, pageToken }
      const page: Page = await api.get<Page>(withQuery(`${path}/${list}`, query))
      all.push(...(page.data.map((each) => ({ kind, ...each })) as Told[]))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    return all
  }

  function onlyNew(found: readonly Told[]): Told[] {
    const again = new Map<string, number>()
    const fresh: Told[] = []
    for (const each of [...found].reverse()) {
      const name = nameOf(each)
      const count = (again.get(name) ?? 0) + 1
      again.set(name, count)
      const at = Date.parse(each.timestamp)
      if (count <= (known.get(name)?.count ?? 0)) continue
      known.set(name, { count, at })
      newest = Math.max(newest, at)
      fresh.push(each)
    }
    known = new Map([...known].filter(([, { at }]) => at >= newest - limits.tailOverlapMs))
    return fresh
  }

  const overlapping = () => (Number.isFinite(newest) ? Math.max(0, newest - limits.tailOverlapMs) : undefined)

  return {
    async past(lines) {
      const first = { includeTest, limit: Math.max(1, lines) }
      const { data } = await api.get<Page>(withQuery(`${path}/${list}`, first))
      const told = onlyNew(data.map((each) => ({ kind, ...each })) as Told[])
      // What the next look would come upon again and nobody asked to see counts as told.
      if (told.length > 0) onlyNew(await since(overlapping()))
      return lines === 0 ? [] : told
    },
    news: async () => onlyNew(await since(overlapping())),
  }
}

/** What of a record never changes: a message that was handed on later has its provider’s id, too. */
function nameOf(told: Told): string {
  const { timestamp, userId } = told
  if (told.kind === 'log') return JSON.stringify([timestamp, userId, told.event, told.data])
  return JSON.stringify([timestamp, userId, told.origin, told.type, told.subtype, told.messageId])
}
