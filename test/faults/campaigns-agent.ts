/**
 * The agent of the campaign faults: people who wrote to it and granted consent, and every campaign call, to any node.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatAgentKey } from '../../core/agentref.js'
import { type Answered, exchange, headers } from './call.js'
import type { FaultNode } from './faultnode.js'
import { createAgent, definiteAnswer, post, receiveText } from './sends-agent.js'
import type { SendProvider } from './sends-provider.js'
import { waitUntil } from './timeout.js'

export interface SeenCampaign {
  readonly id: string
  readonly name: string
  readonly status: string
}

export interface SeenRow {
  readonly id: string
  readonly personId: string
  readonly state: string
  readonly reason?: string
  readonly sendId?: string
}

export interface SeenReport {
  readonly states: Readonly<Record<string, number>>
  readonly reasons: Readonly<Record<string, number>>
  readonly total: number
}

export type CampaignMove = 'stage' | 'start' | 'pause' | 'resume'

/** The audience of a campaign: people who wrote and granted consent, and people known by number alone. */
export interface Crowd {
  readonly agreed: number
  readonly others: number
}

/** Every call except `requestMove` is repeated, from node to node, until one answers. */
export interface CampaignAgent {
  /** The owner key of the agent, which determines its shard. */
  readonly key: string
  readonly crowd: Crowd
  /** Calls one node once; undefined when its answer leaves the outcome unknown. */
  requestMove(faultNode: FaultNode, id: string, move: CampaignMove): Promise<Answered | undefined>
  /** Creates one draft per name, however often it is called. */
  draft(name: string): Promise<string>
  /** Returns the status after the call, which another caller may have caused. */
  move(id: string, move: CampaignMove): Promise<string>
  status(id: string): Promise<string>
  report(id: string): Promise<SeenReport>
  rows(id: string): Promise<readonly SeenRow[]>
  /** The phones of people with consent, by person id. */
  phones(): Promise<ReadonlyMap<string, string>>
  /** The ids of all its sends, with their people. */
  sends(id: string): Promise<readonly { readonly sendId: string; readonly personId: string }[]>
  /** The longest time that a call took, retries included. */
  longestMs(): number
}

const answerMs = 15_000
const retryMs = 40
const pageRows = 200

export async function openCampaignAgent(
  faultNodes: readonly FaultNode[],
  provider: SendProvider,
  crowd: Crowd,
): Promise<CampaignAgent> {
  const [first] = faultNodes as [FaultNode]
  const { agentId, bindingId } = await createAgent(first, provider)
  const own = `/v1/orgs/demo/agents/${agentId}`
  const campaigns = `${own}/campaigns`
  let nth = 0

  let longestMs = 0

  async function callUntilAnswered(
    requestMove: (faultNode: FaultNode) => Promise<Answered | undefined>,
  ): Promise<Answered> {
    for (const began = performance.now(); ; await sleep(retryMs)) {
      const response = await requestMove(faultNodes[nth++ % faultNodes.length]!)
      if (!response) continue
      longestMs = Math.max(longestMs, performance.now() - began)
      return response
    }
  }

  async function read<T>(path: string): Promise<T> {
    const { status, text } = await callUntilAnswered(async (faultNode) =>
      definiteAnswer(await exchange(faultNode.url(), path, answerMs, { headers })),
    )
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
    return JSON.parse(text) as T
  }

  async function sent(path: string, body: object, allowed: readonly number[]): Promise<Answered> {
    const response = await callUntilAnswered((faultNode) => post(faultNode, path, body))
    if (!allowed.includes(response.status)) throw new Error(`${path} was answered ${response.status} ${response.text}`)
    return response
  }

  const phoneAt = (at: number) => `+1415555${1_000 + at}`
  await sent(`${own}/message-templates`, { id: 'ref', name: 'Ref', body: 'Hello {person.firstName}!' }, [201])
  await sent(`${own}/outreach`, { id: 'ref', name: 'Ref', class: 'service', openerTemplateId: 'ref' }, [201])
  for (let at = 0; at < crowd.agreed; at++) {
    while (!(await receiveText(first, provider, bindingId, phoneAt(at), 'Hello'))) await sleep(retryMs)
  }
  const loadPeople = async () => {
    const loaded = new Map<string, string>()
    let pageToken = ''
    do {
      const page = await read<{
        data: { id: string; identities: { address: string }[] }[]
        nextPageToken?: string
      }>(`${own}/people?limit=${pageRows}${pageToken}`)
      for (const { id, identities } of page.data) loaded.set(id, identities[0]?.address ?? '')
      pageToken = page.nextPageToken === undefined ? '' : `&pageToken=${page.nextPageToken}`
    } while (pageToken !== '')
    return loaded
  }
  await waitUntil('everybody who wrote is known', faultNodes, async () => (await loadPeople()).size === crowd.agreed)
  const rows = Array.from({ length: crowd.agreed + crowd.others }, (_, at) =>
    [phoneAt(at), `ref-${at}`, at < crowd.agreed ? 'granted' : 'unknown'].join(),
  )
  const file = `phone,firstName,consent\n${rows.join('\n')}\n`
  const csv = { method: 'POST', headers: { ...headers, 'content-type': 'text/csv' }, body: file }
  const imported = await callUntilAnswered(async (faultNode) =>
    definiteAnswer(await exchange(faultNode.url(), `${own}/people/import`, answerMs, csv)),
  )
  const { importBatchId } = JSON.parse(imported.text) as { importBatchId: string }

  const statusOf = async (id: string) => (await read<SeenCampaign>(`${campaigns}/${id}`)).status

  return {
    key: formatAgentKey({ orgId: 'demo', agentId }),
    crowd,
    requestMove: (faultNode, id, move) => post(faultNode, `${campaigns}/${id}/${move}`),
    longestMs: () => longestMs,
    async phones() {
      const agreed = new Set(Array.from({ length: crowd.agreed }, (_, at) => phoneAt(at)))
      return new Map([...(await loadPeople())].filter(([, phone]) => agreed.has(phone)))
    },
    async draft(name) {
      const body = { name, outreachId: 'ref', audience: { importBatchId } }
      for (;;) {
        const { data } = await read<{ data: SeenCampaign[] }>(campaigns)
        const made = data.find((each) => each.name === name)
        if (made) return made.id
        await post(faultNodes[nth++ % faultNodes.length]!, campaigns, body)
      }
    },
    async move(id, move) {
      await sent(`${campaigns}/${id}/${move}`, {}, [200, 409])
      return statusOf(id)
    },
    status: statusOf,
    report: (id) => read(`${campaigns}/${id}/report`),
    async rows(id) {
      const all: SeenRow[] = []
      for (;;) {
        const after = all.length > 0 ? `&startingAfter=${all.at(-1)!.id}` : ''
        const page = await read<{ data: SeenRow[]; hasMore: boolean }>(
          `${campaigns}/${id}/recipients?limit=${pageRows}${after}`,
        )
        all.push(...page.data)
        if (!page.hasMore) return all
      }
    },
    sends: async (id) =>
      (
        await read<{ data: { sendId: string; personId: string }[] }>(
          `${own}/outreach/sends?campaignId=${id}&limit=${pageRows}`,
        )
      ).data,
  }
}
