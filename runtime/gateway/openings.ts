/** Conversations as those see them who open one: how a person stands, whether they can be reached, and the opening itself. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { notReadyOn } from '../../core/agentside.js'
import type { ChannelName } from '../../core/channel/names.js'
import type { Around } from '../../core/conversation/desk.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { adapter as limits } from '../../core/limits.js'
import type { OpeningFor, OpeningResult, Probed, Standing } from '../../core/outreach/contact.js'
import { unavailable } from '../shard/unavailable.js'
import type { Identity } from './commands.js'
import { aroundOf } from './directory.js'
import { withHostedMedia } from './media.js'
import type { Places } from './places.js'
import { findConversation } from './routes.js'

export interface Openings {
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  standing(asid: string): Promise<Standing | Refusal>
  probe(place: AgentPlace, channel: ChannelName, address: string): Promise<Probed>
  /** The same send and attempt again changes nothing and answers the same. */
  open(opening: OpeningFor): Promise<OpeningResult | Refusal>
}

/** What could be different in a moment; everything else stays as it is until somebody changes it. */
const passing = new Set(['mediaUnreachable', 'tooLarge'])

export function openOpenings(places: () => Places): Openings {
  return {
    asidOf: (place, channel, address) => places().asidOf(agentKeyOf(place), channel, address),

    async standing(asid) {
      const found = await findConversation(places().shards, asid)
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
      const { directory, adapters, providers } = places()
      const agent = await directory.routes(agentKeyOf(place))
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
      const { directory, media, shards, commands } = places()
      const agent = await directory.routes(agentKeyOf(place))
      if (isRefusal(agent))
        return agent.refused === 'resource.not_found' ? { reason: 'noBinding', again: 'never' } : agent
      const who: Identity = { asid, agent: place, channel, address, ...(sandbox && { sandbox }) }
      const around = aroundOf(agent, who, places())
      const hosted = await withHostedMedia(media, opening.message, around.traits)
      if (isRefusal(hosted)) return hosted
      const ask = (by: Identity, around: Around) =>
        shards.ask(by.asid, commands.open, {
          who: by,
          around,
          opening: { forSend: { sendId, attempt, isLast, ...(campaign && { campaign }) }, ...opening },
        })
      let taken = 'reason' in hosted ? hosted : await ask(who, around)
      if ('knownAs' in taken) {
        const by = { ...who, ...taken.knownAs }
        taken = await ask(by, aroundOf(agent, by, places()))
      }
      if ('knownAs' in taken) return unavailable
      if (isRefusal(taken) || !('reason' in taken)) return taken
      return { again: passing.has(taken.reason) ? 'later' : 'never', ...taken }
    },
  }
}
