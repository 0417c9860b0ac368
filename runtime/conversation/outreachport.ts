/** Conversations as outreach uses them: consent, reachability, and opening a conversation. */

import { notReadyOn } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { adapter as limits } from '../../core/limits/index.js'
import type { ConsentState, OpenRequest, OpenResponse, Reachability } from '../../core/outreach/port.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Providers } from '../delivery/providers.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/refusals.js'
import type { AsidOf } from './asid.js'
import type { AdapterLookup, AgentContexts, Directory } from './context.js'
import type { ConversationCommands, Identity } from './contract.js'
import { findConversation } from './queries.js'

export interface OutreachPort {
  asidOf(agentRef: AgentRef, channel: ChannelName, address: string): string
  consentOf(asid: string): Promise<ConsentState | Refusal>
  probe(agentRef: AgentRef, channel: ChannelName, address: string): Promise<Reachability>
  /** Idempotent by send and attempt: a repeat changes nothing and returns the same response. */
  open(request: OpenRequest): Promise<OpenResponse | Refusal>
}

/** Reasons that may pass without an operator's action; all others stay until an operator changes something. */
const transientReasons = new Set(['mediaUnreachable', 'tooLarge'])

export interface OutreachPortDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'openConversation'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly adapters: AdapterLookup
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  readonly media: Pick<Media, 'rehost'>
  readonly asidOf: AsidOf
}

/** `deps` is called at the first use, when all dependencies exist. */
export function createOutreachPort(deps: () => OutreachPortDeps): OutreachPort {
  return {
    asidOf: (agentRef, channel, address) => deps().asidOf(formatAgentKey(agentRef), channel, address),

    async consentOf(asid) {
      const conversation = await findConversation(deps().shards, asid)
      if (isRefusal(conversation)) return conversation
      if (!conversation) return { isOptedOut: false }
      const { optedOutAt, lastInboundAt, agent, channel, address, sandbox } = conversation
      return {
        isOptedOut: optedOutAt !== undefined,
        ...(optedOutAt !== undefined && { optedOutAt }),
        ...(lastInboundAt !== undefined && { lastInboundAt }),
        ...(!sandbox && { identity: { agent, channel, address } }),
      }
    },

    async probe(agentRef, channel, address) {
      const { directory, adapters, providers } = deps()
      const agent = await directory.get(formatAgentKey(agentRef))
      if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? 'noBinding' : 'unknown'
      const binding = agent.channels.find((each) => each.channel === channel)
      const adapter = binding && adapters(channel, binding.provider)
      if (!adapter) return notReadyOn(agent, channel) ? 'bindingError' : 'noBinding'
      if (!adapter.probe) return 'notSupported'
      const credentials = await providers.authOf(agent.orgId, binding)
      if (isRefusal(credentials)) return 'unknown'
      const providerContext = providers.contextFor(binding, credentials.auth, AbortSignal.timeout(limits.probeMs))
      let isRefused = false
      const call: typeof providerContext.call = async (request) => {
        const answer = await providerContext.call(request)
        isRefused ||= answer.kind === 'answer' && answer.status === 401
        return answer
      }
      const { reachable, unreachable } = await adapter.probe([address], { ...providerContext, call })
      if (reachable.includes(address)) return 'capable'
      if (unreachable.includes(address)) return 'incapable'
      // A refused account says nothing about the person; the message itself then reports the refusal for the binding.
      return isRefused ? 'notSupported' : 'unknown'
    },

    async open({ agent: agentRef, sendId, attempt, isLast, campaign, asid, channel, address, sandbox, ...request }) {
      const { directory, contexts, media, shards, commands } = deps()
      const agent = await directory.get(formatAgentKey(agentRef))
      if (isRefusal(agent))
        return agent.refused === 'resource.not_found' ? { reason: 'noBinding', retry: 'never' } : agent
      const identity: Identity = { asid, agent: agentRef, channel, address, ...(sandbox && { sandbox }) }
      const context = contexts.of(agent, identity)
      const hosted = await hostMedia(media, request.message)
      if (isRefusal(hosted)) return hosted
      const executeOpen = (target: Identity, context: AgentContext) =>
        shards.execute(target.asid, commands.openConversation, {
          identity: target,
          agent: context,
          opener: {
            sendRef: { sendId, attempt, isLast, ...(campaign && { campaign }) },
            ...(isHosted(hosted) && hosted !== noFiles && { media: hosted }),
            ...request,
          },
        })
      let result = isHosted(hosted) ? await executeOpen(identity, context) : hosted
      if ('canonical' in result) {
        const target = { ...identity, ...result.canonical }
        result = await executeOpen(target, contexts.of(agent, target))
      }
      if ('canonical' in result) return unavailable
      if (isRefusal(result) || !('reason' in result)) return result
      return { retry: transientReasons.has(result.reason) ? 'later' : 'never', ...result }
    },
  }
}
