/**
 * Agents on a whole node without sockets: their channels on the emulator, their tokens, and phones that write to them.
 */
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { formatAgentKey } from '../../../core/agentref.js'
import type { ChannelName } from '../../../core/channelnames.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { deriveKey } from '../../../runtime/secrets/seal.js'
import type { TestNode } from '../../harness/node.js'

const orgId = 'demo'

export interface Result {
  readonly messageId: string
  readonly accepted: boolean
  readonly reason?: string
  readonly detail?: string
}

export function createAgents(node: TestNode) {
  const { key } = loadOrCreateSecretKey(node.dir)
  const phoneKey = deriveKey(key, 'emulated phones')
  const { asidOf } = node.node
  let items = 0

  async function manage(method: string, path: string, json?: unknown) {
    const reply = await node.mgmt(method, `/v1/orgs/${orgId}/agents${path}`, { token: node.key, json })
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.text === '' ? undefined : reply.json
  }

  async function newAgent(...channels: readonly ChannelName[]) {
    const { id: agentId } = await manage('POST', '', { name: 'Desk' })
    const bindings = new Map<ChannelName, string>()
    for (const channel of channels) {
      const binding = await manage('POST', `/${agentId}/channels`, { channel, mode: 'unmanaged', provider: 'emulator' })
      bindings.set(channel, binding.id)
    }
    const { accessToken } = await manage('POST', `/${agentId}/gateway/_rotateToken`)
    const token = accessToken as string
    const agent = {
      token,
      binding: (channel: ChannelName) => bindings.get(channel)!,
      userId: (channel: ChannelName, address: string) => asidOf(formatAgentKey({ orgId, agentId }), channel, address),
      manage: (method: string, path: string, json?: unknown) => manage(method, `/${agentId}${path}`, json),
      call: (method: string, path: string, json?: unknown) => node.gateway(method, `/v4${path}`, { token, json }),
      async send(userId: string, ...messages: unknown[]): Promise<Result[]> {
        const { status, json, text } = await agent.call('POST', '/messages', { userId, messages })
        if (!json?.results) throw new Error(`${status} ${text}`)
        return json.results
      },
      /** Signed by the emulator, unless a signature is given. */
      ingress(channel: ChannelName, body: string | Uint8Array, signature?: string) {
        const bindingId = agent.binding(channel)
        const signed = signature ?? agent.signatureOf(channel, body)
        return node.gateway('POST', `/v4/ingress/${bindingId}`, { body, headers: { [signatureHeader]: signed } })
      },
      signatureOf: (channel: ChannelName, body: string | Uint8Array) =>
        signatureOf(phoneKey, agent.binding(channel), Buffer.from(body as string)),
      /** Somebody writes, and is known from then on. */
      async receiveText(channel: ChannelName, from: string, text = 'hello'): Promise<string> {
        const { status } = await agent.ingress(
          channel,
          JSON.stringify({ items: [{ id: `in ${++items}`, from, text }] }),
        )
        if (status !== 200) throw new Error(`the ingress answered ${status}`)
        return agent.userId(channel, from)
      },
    }
    return agent
  }
  return { newAgent }
}
