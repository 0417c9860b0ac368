/** Effect handler of a redemption: sends the greeting to the conversation of the entered number. */
import { isRefusal } from '../../core/errors.js'
import type { EffectContext, EffectHandler } from '../../runtime/shard/contract.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import { type LinkCommands, type LinkStart, linkChannel } from './commands.js'

/**
 * The effect may run again after a crash: the conversation knows the opening by its id and accepts it once. The
 * conversation alone decides that it does not write to a person who opted out, and the outcome is not reported.
 */
export function createLinkStartHandler(
  links: Pick<LinkCommands, 'startGreeting'>,
  conversations: OutreachConversations,
): EffectHandler {
  return async (start: LinkStart, { reader }: EffectContext) => {
    const { orgId, agentId, openingId, asid, address } = start
    const greeting = links.startGreeting(reader, start)
    if (!greeting) return
    const agent = { orgId, agentId }
    const identity = { asid, channel: linkChannel, address }
    const request = {
      agent,
      sendId: openingId,
      attempt: 1,
      isLast: true,
      ...identity,
      start: { kind: 'link' as const },
      ...greeting,
    }
    const answer = await conversations.open(request)
    if (isRefusal(answer)) throw new Error(`an opening was not taken: ${answer.refused}`)
  }
}
