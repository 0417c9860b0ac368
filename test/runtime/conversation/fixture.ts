/** The words of tests about conversations, over a world with one agent: what people write and what is sent to them. */
import type { Test } from 'tap'
import type { ChannelName } from '../../../core/channelnames.js'
import type { TypedEvent } from '../../../core/conversation/state.js'
import { deadLetterTable, eventTable } from '../../../runtime/conversation/tables.js'
import { createEgressClient, type EgressTimeouts } from '../../../runtime/egress/client.js'
import type { Media } from '../../../runtime/media/contract.js'
import type { GatewayDepsOptions } from '../../../runtime/node/gateway.js'
import { waitUntil } from '../../harness/clock.js'
import { createWorld, type WorldOptions } from '../../harness/world.js'

export { acceptAll, type Envelope, type Provider, type ProviderRequest } from '../../harness/world.js'

export interface GatewayFixtureOptions extends Pick<WorldOptions, 'wrapShards'> {
  readonly channels?: readonly ChannelName[]
  readonly minMessageDelayMs?: number
  readonly hasWebhook?: boolean
  readonly identity?: Readonly<Record<string, string>>
  /** Media that cannot be fetched; all other media is found. */
  readonly unreachable?: readonly string[]
  /** Limits of calls to the webhook. */
  readonly limits?: EgressTimeouts
}

/** The rate at which the provider of each binding says that it accepts messages in bulk. */
export const bulkPerSecond = 40

export async function openGatewayFixture(t: Test, options: GatewayFixtureOptions = {}) {
  const { channels = ['sms', 'rcs'], minMessageDelayMs, hasWebhook = true, identity, limits, wrapShards } = options
  const operatorCalls: { readonly bindingId: string; readonly detail: string }[] = []
  const client = limits && createEgressClient({ allowPrivate: true }, limits)
  let deps!: GatewayDepsOptions & { readonly commands: GatewayDepsOptions['gatewayModule']['conversation'] }

  /** Replaces the media of the internet, and records the calls for an operator. */
  function wrapGateway(parts: GatewayDepsOptions): GatewayDepsOptions {
    const rehost: Media['rehost'] = async (url) =>
      options.unreachable?.includes(url)
        ? { reason: 'mediaUnreachable', why: 'source', detail: 'away' }
        : { url, type: 'image/png', bytes: 1 }
    const wrapped: GatewayDepsOptions = {
      ...parts,
      ...(client && { client }),
      media: { rehost },
      markActionRequired(ref, detail, usedAuth) {
        operatorCalls.push({ bindingId: ref.bindingId, detail })
        parts.markActionRequired(ref, detail, usedAuth)
      },
    }
    deps = { ...wrapped, commands: parts.gatewayModule.conversation }
    return wrapped
  }

  const world = await createWorld(t, {
    agent: { hasWebhook, fields: identity && { identity } },
    channels: channels.map((channel) => ({
      channel,
      bulkPerSecond,
      ...(minMessageDelayMs && { settings: { delivery: { minMessageDelayMs } } }),
    })),
    ...(wrapShards && { wrapShards }),
    node: { wrapGateway },
  })
  t.teardown(() => client?.close())
  const { clock, node, agent, webhook } = world

  const fixture = {
    clock,
    deps,
    operatorCalls,
    engine: node.node.engine,
    rows: node.rows,
    call: agent.call,
    inject: node.gateway,
    adapters: world.channels.adapters,
    providerRequests: world.channels.requests,
    bindingId: agent.binding,
    sign: agent.signatureOf,
    setProvider: world.channels.setProvider,
    ingress: agent.ingress,
    setReady: world.channels.setReady,
    setWebhookBehavior: webhook.setBehavior,
    rotateSecret: webhook.rotateSecret,
    requests: webhook.requests,
    envelopes: webhook.envelopes,
    asid: (address: string, channel: ChannelName = 'sms') => agent.userId(channel, address),
    /** The events of a person as words: the text of a message, a kind, or a state with its channel. */
    eventTexts: (asid: string): string[] =>
      webhook
        .envelopes()
        .filter(({ userId }) => userId === asid)
        .map(({ event: { event } }) => describeEvent(event)),
    deadLetters: () => node.rows(deadLetterTable).map(({ value }) => value),
    waitingCount: () => node.rows(eventTable).length,
    waitingEvents: () => node.rows(eventTable).map(({ value }) => value),
    /** A person sends a text, which is on record when this resolves. */
    receiveText: (address: string, text: string, channel: ChannelName = 'sms') =>
      agent.receiveText(channel, address, text),
    async send(userId: string, messages: readonly unknown[], more: object = {}) {
      const answer = await agent.call('POST', '/messages', { userId, messages, ...more })
      if (!answer.json?.results) throw new Error(`the send was answered ${answer.status}: ${answer.text}`)
      return answer.json.results as { messageId: string; accepted: boolean; reason?: string }[]
    },
    /** Waits until the webhook has taken every event. */
    waitForWebhook: () => waitUntil(() => fixture.waitingCount() === 0),
  }
  return fixture
}
export type GatewayFixture = Awaited<ReturnType<typeof openGatewayFixture>>

export const textMessage = (text: string, more: object = {}) => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text }],
  ...more,
})

function describeEvent(event: TypedEvent): string {
  if (event.type === 'message') return event.message.text ?? ''
  if (event.type === 'system') return event.system.kind
  if (event.type !== 'status') return event.type
  const { state, attempt, reason } = event.status
  return [state, attempt.channel, reason].filter(Boolean).join(' ')
}
