/** Performs what a redemption asks for: hands the greeting to the conversation of whoever entered their number. */
import { isRefusal } from '../../core/errors.js'
import type { Performer, Performing } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { type LinkCommands, type LinkStart, linkChannel } from './commands.js'

/**
 * It may run again after a crash: the conversation knows the opening by its id and takes it once. Whoever opted out is
 * not written to, which the conversation alone decides and nobody is told.
 */
export function startPerformer(links: Pick<LinkCommands, 'startOf'>, conversations: OutreachConversations): Performer {
  return async (start: LinkStart, { reader }: Performing) => {
    const { orgId, agentId, openingId, asid, address } = start
    const greeted = links.startOf(reader, start)
    if (!greeted) return
    const place = { orgId, agentId }
    const to = { asid, channel: linkChannel, address }
    const opening = { place, sendId: openingId, attempt: 1, isLast: true, ...to, ...greeted }
    const answer = await conversations.open(opening)
    if (isRefusal(answer)) throw new Error(`an opening was not taken: ${answer.refused}`)
  }
}
