/** What the page has the agent say to a phone: it goes the way of any message that an agent sends. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { aroundOf } from '../gateway/directory.js'
import { withHostedMedia } from '../gateway/media.js'
import type { Places } from '../gateway/places.js'
import { readConversation } from '../gateway/routes.js'

export interface SayOutcome {
  readonly accepted: boolean
  /** Why not. */
  readonly reason?: string
}

export type Sayer = (place: AgentPlace, asid: string, message: OutboundMessage) => Promise<SayOutcome | Refusal>

export function openSayer(places: Places): Sayer {
  const { shards, commands, directory, media } = places
  return async (place, asid, message) => {
    const person = await shards.read(asid, readConversation, { asid })
    if (isRefusal(person)) return person
    if (!person) return { accepted: false, reason: 'unknownRecipient' }
    const agent = await directory.routes(agentKeyOf(place))
    if (isRefusal(agent)) return agent
    const around = aroundOf(agent, person, places)
    const hosted = isSignal(message) ? message : await withHostedMedia(media, message, around.traits)
    if (isRefusal(hosted)) return hosted
    if ('reason' in hosted) return { accepted: false, reason: hosted.reason }
    const offered = [{ message, from: 'send' as const }]
    const answers = await shards.ask(asid, commands.offer, { asid, around, offered })
    if (isRefusal(answers)) return answers
    const [answer] = answers
    return answer && 'messageId' in answer ? { accepted: true } : { accepted: false, reason: answer?.reason ?? '' }
  }
}
