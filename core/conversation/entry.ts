/** Traffic entries and log entries of a conversation, as they are stored. */

export interface TrafficEntry {
  readonly origin: 'user' | 'agent'
  readonly type: 'content' | 'status' | 'action'
  readonly subtype?: string
  readonly sessionId: string
  readonly text?: string
  readonly messageId: string
  /** The provider's id of the person's action; the provider's ids of agent messages are stored with those messages. */
  readonly channelMessageId?: string
  readonly error?: string
  /** Absent for content of the agent: the message record has it, and is stored as long. */
  readonly raw?: unknown
}

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  readonly data?: Readonly<Record<string, unknown>>
}
