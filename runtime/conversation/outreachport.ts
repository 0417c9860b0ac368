/** Conversations as those see them who open one: how a person stands, whether they can be reached, and the opening itself. */

import { notReadyOn } from '../../core/agent/routing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentContext } from '../../core/conversation/context.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { adapter as limits } from '../../core/limits.js'
import type { OpeningFor, OpeningResult, Probed, Standing } from '../../core/outreach/contact.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Providers } from '../delivery/providers.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/unavailable.js'
import type { AsidOf } from './asid.js'
import type { Adapters, AgentContexts, Directory } from './context.js'
import type { ConversationCommands, Identity } from './contract.js'
import { findConversation } from './queries.js'

export interface Openings {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  standing(asid: string): Promise<Standing | Refusal>
  probe(place: AgentPlace, channel: ChannelName, address: string): Promise<Probed>
  /** The same send and attempt again changes nothing and answers the same. */
  open(opening: OpeningFor): Promise<OpeningResult | Refusal>
}

/** What could be different in a moment; everything else stays as it is until somebody changes it. */
const passing = new Set(['mediaUnreachable', 'tooLarge'])

export interface OpeningsDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'openConversation'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly adapters: Adapters
  readonly providers: Pick<Providers, 'authOf' | 'reach'>
  readonly media: Pick<Media, 'hosted'>
  readonly asidOf: AsidOf
}

/** `deps` are asked for at the first call, when all of them exist. */
export function openOpenings(deps: () => OpeningsDeps): Openings {
  return {
    asidOf: (place, channel, address) => deps().asidOf(agentKeyOf(place), channel, address),

    async standing(asid) {
      const found = await findConversation(deps().shards, asid)
      if (isRefusal(found)) return found
      if (!found) return { isOptedOut: false }
      const { optedOutAt, heardAt, agent, channel, address, sandbox } = found
      return {
        isOptedOut: optedOutAt !== undefined,
        ...(optedOutAt !== undefined && { optedOutAt }),
        ...(heardAt !== undefined && { heardAt }),
        ...(!sandbox && { of: { agent, channel, address } }),
      }
    },

    async probe(place, channel, address) {
      const { directory, adapters, providers } = deps()
      const agent = await directory.get(agentKeyOf(place))
      if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? 'noRoute' : 'unknown'
      const bound = agent.channels.find((each) => each.channel === channel)
      const adapter = bound && adapters(channel, bound.provider)
      if (!adapter) return notReadyOn(agent, channel) ? 'bindingError' : 'noRoute'
      if (!adapter.probe) return 'untold'
      const opened = await providers.authOf(agent.orgId, bound)
      if (isRefusal(opened)) return 'unknown'
      const reaching = providers.reach(bound, opened.auth, AbortSignal.timeout(limits.probeMs))
      let isRefused = false
      const call: typeof reaching.call = async (asked) => {
        const answer = await reaching.call(asked)
        isRefused ||= answer.kind === 'answer' && answer.status === 401
        return answer
      }
      const { reachable, unreachable } = await adapter.probe([address], { ...reaching, call })
      if (reachable.includes(address)) return 'capable'
      if (unreachable.includes(address)) return 'incapable'
      // Says nothing of the person where the account is refused: the message itself finds that out for the binding.
      return isRefused ? 'untold' : 'unknown'
    },

    async open({ place, sendId, attempt, isLast, campaign, asid, channel, address, sandbox, ...opening }) {
      const { directory, contexts, media, shards, commands } = deps()
      const agent = await directory.get(agentKeyOf(place))
      if (isRefusal(agent))
        return agent.refused === 'resource.not_found' ? { reason: 'noBinding', again: 'never' } : agent
      const who: Identity = { asid, agent: place, channel, address, ...(sandbox && { sandbox }) }
      const context = contexts.of(agent, who)
      const hosted = await hostMedia(media, opening.message)
      if (isRefusal(hosted)) return hosted
      const ask = (by: Identity, context: AgentContext) =>
        shards.ask(by.asid, commands.openConversation, {
          who: by,
          agent: context,
          opening: {
            forSend: { sendId, attempt, isLast, ...(campaign && { campaign }) },
            ...(isHosted(hosted) && hosted !== noFiles && { media: hosted }),
            ...opening,
          },
        })
      let taken = isHosted(hosted) ? await ask(who, context) : hosted
      if ('knownAs' in taken) {
        const by = { ...who, ...taken.knownAs }
        taken = await ask(by, contexts.of(agent, by))
      }
      if ('knownAs' in taken) return unavailable
      if (isRefusal(taken) || !('reason' in taken)) return taken
      return { again: passing.has(taken.reason) ? 'later' : 'never', ...taken }
    },
  }
}
