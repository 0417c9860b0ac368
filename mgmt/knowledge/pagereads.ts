/** Effect handler that reads the URL of a source; turns fetched or uploaded text into content. */
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import type { Page, PageRequest } from '../../core/knowledge/page.js'
import { indexTextInSteps } from '../../core/knowledge/ranking.js'
import { decodeText, type TextResult } from '../../core/knowledge/sourcetext.js'
import { systemClock } from '../../runtime/clock.js'
import type { EffectContext, Shards } from '../../runtime/shard/contract.js'
import { runInSlices } from '../../runtime/slices.js'
import { type Documents, readEndpoint } from './document.js'
import type { Content, PageRead, ReadOutcome, SourceCommands } from './sources.js'
import { stateTable } from './store.js'

/**
 * Fetches a page through the egress guard within all limits. Never throws; `stopped` is the answer to an aborted
 * signal.
 */
export type GetPage = (request: PageRequest) => Promise<Page>

export interface PageReadOptions {
  readonly shards: Shards
  readonly documents: Documents
  readonly commands: Pick<SourceCommands['commands'], 'completeRead'>
  readonly getPage: GetPage
}

/** If the handler throws, the effect stays in the outbox and the page is read again. */
export function createPageReadHandler({ shards, documents, commands, getPage }: PageReadOptions) {
  return async (payload: PageRead, { reader, signal, completes }: EffectContext): Promise<void> => {
    const { orgId, agentId, sourceId, readId } = payload
    const agent = { orgId, agentId }
    const state = reader.get(stateTable, [orgId, agentId, sourceId])
    if (state?.status !== 'pending' || state.readId !== readId) return
    const source = readEndpoint<{ url?: string }>(documents, reader, agent, 'GET /knowledge/sources/{sourceId}', {
      sourceId,
    })
    if (isRefusal(source) || source.json?.url === undefined) return
    const page = await getPage({ url: source.json.url, version: state.version ?? {}, signal })
    if (page.kind === 'stopped') throw new Error('a source was being read when its shard left this node')
    const input = { ...payload, outcome: await outcomeOf(page) }
    const answer = await shards.execute(formatAgentKey(agent), commands.completeRead, input, { completes })
    if (isRefusal(answer)) throw new Error(`what was read of a source was not taken: ${answer.refused}`)
  }
}

async function outcomeOf(page: Exclude<Page, { kind: 'stopped' }>): Promise<ReadOutcome> {
  if (page.kind !== 'page') return page
  const content = await contentOf(decodeText(page.bytes, page.contentType))
  if ('problem' in content) return { kind: 'failed', reason: `The page ${content.problem}.` }
  return { kind: 'read', content, version: page.version }
}

/** `problem` is the end of a sentence about the text. */
export async function contentOf(read: TextResult): Promise<Content | { readonly problem: string }> {
  if ('problem' in read) return read
  const content = await runInSlices(indexTextInSteps(read.text), systemClock)
  return 'problem' in content ? content : { ...content, characters: read.text.length }
}
