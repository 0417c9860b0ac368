/** What the sandbox needs of its conversations, wherever the shard of a conversation is. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { Directive } from '../../core/sandbox/directive.js'
import type { HistorySeed } from '../../core/sandbox/preset.js'
import type { Turn } from '../../core/sandbox/turn.js'
import type { Command } from '../../runtime/shard/contract.js'

/** By whom a conversation of a rehearsal is held. */
export interface SandboxIdentity {
  readonly asid: string
  readonly agent: AgentRef
  readonly channel: ChannelName
  readonly address: string
  readonly sandbox: true
}

/** Commands of a sandbox conversation's shard: to begin it with a past, and to forget it. */
export interface SandboxCommands {
  readonly begin: Command<{ identity: SandboxIdentity; seed: HistorySeed }, unknown>
  readonly remove: Command<{ asid: string }, unknown>
}

export interface SandboxConversations {
  /** Does something as the persona. Answers when the agent has replied, or has had long enough. A refusal did nothing. */
  run(
    persona: { agentRef: AgentRef; asid: string; channel: ChannelName; address: string },
    directive: Directive,
  ): Promise<{ turn: Turn; replies: readonly Turn[]; isPending: boolean } | Refusal>
  /** Oldest first, from behind that number on. */
  turns(asid: string, after: number, limit: number): Promise<{ turns: readonly Turn[]; isMore: boolean } | Refusal>
}
