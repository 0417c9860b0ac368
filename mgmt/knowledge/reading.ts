/** Performs the effect of reading the url of a source, and makes content of what was sent, fetched or uploaded. */
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import type { Page, PageRequest } from '../../core/knowledge/page.js'
import { indexing } from '../../core/knowledge/ranking.js'
import { type Readable, readable } from '../../core/knowledge/readable.js'
import { systemClock } from '../../runtime/clock.js'
import type { Performing, Shards } from '../../runtime/shard/contract.js'
import { inTurns } from '../../runtime/turns.js'
import { type Documents, viewRow } from './document.js'
import type { Content, Reading, ReadOutcome, SourceCommands } from './sources.js'
import { stateTable } from './store.js'

/** Gets a page through the guard, within every limit. It never throws; `stopped` is the answer to the signal. */
export type GetPage = (request: PageRequest) => Promise<Page>

export interface ReadingOptions {
  readonly shards: Shards
  readonly documents: Documents
  readonly commands: Pick<SourceCommands['commands'], 'settle'>
  readonly getPage: GetPage
}

/** A throw leaves the effect owed: the page is then read again. */
export function readingPerformer({ shards, documents, commands, getPage }: ReadingOptions) {
  return async (payload: Reading, { reader, signal, settles }: Performing): Promise<void> => {
    const { orgId, agentId, sourceId, reading } = payload
    const place = { orgId, agentId }
    const state = reader.get(stateTable, [orgId, agentId, sourceId])
    if (state?.status !== 'pending' || state.reading !== reading) return
    const source = viewRow<{ url?: string }>(documents, reader, place, 'GET /knowledge/sources/{sourceId}', {
      sourceId,
    })
    if (isRefusal(source) || source.json?.url === undefined) return
    const page = await getPage({ url: source.json.url, version: state.version ?? {}, signal })
    if (page.kind === 'stopped') throw new Error('a source was being read when its shard left this node')
    const input = { ...payload, outcome: await outcomeOf(page) }
    const answer = await shards.ask(agentKeyOf(place), commands.settle, input, { settles })
    if (isRefusal(answer)) throw new Error(`what was read of a source was not taken: ${answer.refused}`)
  }
}

async function outcomeOf(page: Exclude<Page, { kind: 'stopped' }>): Promise<ReadOutcome> {
  if (page.kind !== 'page') return page
  const content = await contentOf(readable(page.bytes, page.contentType))
  if ('problem' in content) return { kind: 'failed', reason: `The page ${content.problem}.` }
  return { kind: 'read', content, version: page.version }
}

/** The problem is the end of a sentence about the text. */
export async function contentOf(read: Readable): Promise<Content | { readonly problem: string }> {
  if ('problem' in read) return read
  const found = await inTurns(indexing(read.text), systemClock)
  return 'problem' in found ? found : { ...found, characters: read.text.length }
}
