/** The agent of the send faults, and every call about its sends, each to any node. */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, type CallResult, exchange, headers } from './call.js'
import type { FaultNode } from './faultnode.js'
import type { SendProvider } from './sends-provider.js'
import type { SendAnswer, SendRequest } from './sends-record.js'

export interface SeenSend {
  readonly state: string
  readonly reason?: string
  readonly attempts: number
}

/** Each call resolves with undefined when the outcome is unknown. An unexpected answer throws. */
export interface SendAgent {
  requestSend(faultNode: FaultNode, sendRequest: SendRequest): Promise<SendAnswer | undefined>
  cancel(faultNode: FaultNode, sendId: string): Promise<'cancelled' | 'tooLate' | undefined>
  read(faultNode: FaultNode, sendId: string): Promise<SeenSend | 'nowhere' | undefined>
  /** The person's STOP, as the provider reports it; the same text again has the same id. */
  stop(faultNode: FaultNode, phone: string): Promise<true | undefined>
}

const answerMs = 15_000
const retryMs = 50
const agents = '/v1/orgs/demo/agents'
/** Statuses that say that nothing was decided, or that the outcome is unknown. */
const undecided: readonly number[] = [429, 502, 503, 504]

export async function openSendAgent(faultNodes: readonly FaultNode[], provider: SendProvider): Promise<SendAgent> {
  const { agentId, bindingId } = await createAgent(faultNodes[0]!, provider)
  const own = `${agents}/${agentId}`
  const sends = `${own}/outreach/sends`

  return {
    async requestSend(faultNode, { way, ref, phone }) {
      const inputs = { ref }
      const journey = { versionId: 'v1', nodeId: 'n1', instanceId: ref }
      const response =
        way === 'journey'
          ? await post(faultNode, `${own}/integrations/journey/outreach/hello/sends`, {
              profile: { phone },
              inputs,
              journey,
            })
          : await post(faultNode, `${own}/outreach/hello/sends`, {
              recipient: { channel: 'rcs', address: phone },
              inputs,
              idempotencyKey: ref,
            })
      if (!response) return undefined
      const { outcome, status, sendId, reason, code } = JSON.parse(response.text) as Record<string, string>
      if (reason === 'opted_out' || code === 'agent.outreach.opted_out') return { outcome: 'refused' }
      const answered = outcome ?? status
      if ((answered !== 'queued' && answered !== 'duplicate') || !sendId)
        throw new Error(`${ref} was answered ${response.text}`)
      return { outcome: answered, sendId }
    },

    async cancel(faultNode, sendId) {
      const response = await post(faultNode, `${sends}/${sendId}/cancel`)
      if (!response) return undefined
      if (response.status === 409) return 'tooLate'
      if (response.status !== 200) throw new Error(`a cancel was answered ${response.status} ${response.text}`)
      return 'cancelled'
    },

    async read(faultNode, sendId) {
      const response = definiteAnswer(await exchange(faultNode.url(), `${sends}/${sendId}`, answerMs, { headers }))
      if (!response) return undefined
      return response.status === 404 ? 'nowhere' : (JSON.parse(response.text) as SeenSend)
    },

    stop: (faultNode, phone) => receiveText(faultNode, provider, bindingId, phone, 'STOP'),
  }
}

/** A person's text, as the provider reports it; the same text again has the same id. */
export async function receiveText(
  faultNode: FaultNode,
  { auth }: SendProvider,
  bindingId: string,
  phone: string,
  text: string,
): Promise<true | undefined> {
  const event = { senderPhoneNumber: phone, messageId: `${text.toLowerCase()}-${phone}`, text }
  const data = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha512', auth.clientToken).update(data).digest('base64')
  const body = JSON.stringify({ message: { data: data.toString('base64') } })
  const request = { method: 'POST', headers: { 'x-goog-signature': signature }, body }
  const response = definiteAnswer(
    await exchange(faultNode.url('gateway'), `/v4/ingress/${bindingId}`, answerMs, request),
  )
  if (response && response.status !== 200) throw new Error(`the ingress answered ${response.status} ${response.text}`)
  return response && true
}

export function definiteAnswer(response: Answered | { readonly how: CallResult }): Answered | undefined {
  return 'how' in response || undecided.includes(response.status) ? undefined : response
}

export async function post(faultNode: FaultNode, path: string, body: object = {}): Promise<Answered | undefined> {
  return definiteAnswer(
    await exchange(faultNode.url(), path, answerMs, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
}

/** Repeats until the node accepts: a newly started one may still wait for its shards. */
export async function createAgent(
  faultNode: FaultNode,
  { auth }: SendProvider,
): Promise<{ agentId: string; bindingId: string }> {
  async function made(path: string, body: object): Promise<string> {
    for (;;) {
      const response = await post(faultNode, path, body)
      if (response && response.status < 300) return (JSON.parse(response.text) as { id: string }).id
      if (response) throw new Error(`${path} was answered ${response.status} ${response.text}`)
      await sleep(retryMs)
    }
  }
  const agentId = await made(agents, { name: 'Sends' })
  const own = `${agents}/${agentId}`
  await made(`${own}/message-templates`, { id: 'hi', name: 'Hi', body: 'Hello {person.customFields.ref}!' })
  const outreach = { id: 'hello', name: 'Hello', class: 'service', openerTemplateId: 'hi', inputs: ['ref'] }
  await made(`${own}/outreach`, outreach)
  const bindingId = await made(`${own}/channels`, { channel: 'rcs', mode: 'unmanaged', provider: 'rbm', auth })
  return { agentId, bindingId }
}
