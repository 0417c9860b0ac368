/** Sends a message as the agent to a phone, through the same path as any message of an agent. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { readConversation } from '../conversation/queries.js'
import { hostMedia, isHosted, noFiles } from '../delivery/media.js'
import type { Media } from '../media/contract.js'
import type { Shards } from '../shard/contract.js'

export interface SendAsOutcome {
  readonly accepted: boolean
  /** Why the message was refused. */
  readonly reason?: string
}

export type SendAs = (agentRef: AgentRef, asid: string, message: OutboundMessage) => Promise<SendAsOutcome | Refusal>

export interface SendAsDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'sendMessages'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly media: Pick<Media, 'rehost'>
}

export function createSendAs({ shards, commands, directory, contexts, media }: SendAsDeps): SendAs {
  return async (agentRef, asid, message) => {
    const conversation = await shards.query(asid, readConversation, { asid })
    if (isRefusal(conversation)) return conversation
    if (!conversation) return { accepted: false, reason: 'unknownRecipient' }
    const agent = await directory.get(formatAgentKey(agentRef))
    if (isRefusal(agent)) return agent
    const context = contexts.of(agent, conversation)
    const files = isSignal(message) ? noFiles : await hostMedia(media, message)
    if (isRefusal(files)) return files
    if (!isHosted(files)) return { accepted: false, reason: files.reason }
    const requests = [{ message, media: files, from: 'send' as const }]
    const answers = await shards.execute(asid, commands.sendMessages, { asid, agent: context, requests })
    if (isRefusal(answers)) return answers
    const [answer] = answers
    return answer && 'messageId' in answer ? { accepted: true } : { accepted: false, reason: answer?.reason ?? '' }
  }
}
