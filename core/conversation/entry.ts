/** Records of a conversation: traffic entries and log entries, as they are stored before anything reads them. */

export interface TrafficEntry {
  readonly origin: 'user' | 'agent'
  readonly type: 'content' | 'status' | 'action'
  readonly subtype?: string
  readonly sessionId: string
  readonly text?: string
  readonly messageId: string
  /** The provider's id of what the person did; the provider's ids of agent messages stand with those messages. */
  readonly channelMessageId?: string
  readonly error?: string
  /** Absent for content of the agent: that stands in the message itself, which is kept as long. */
  readonly raw?: unknown
}

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  readonly data?: Readonly<Record<string, unknown>>
}
