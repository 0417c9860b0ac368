/** The report of a conversation to the send whose message it accepted. */

/** A change of a send's message. Each is reported once, in the order in which it happened. */
export interface DeliveryReport {
  readonly sendId: string
  readonly at: number
  /** The attempt that the report is about; a report on an earlier attempt is out of date. */
  readonly attempt: number
  /** `withheld`: the message was not sent, because its campaign is paused; the same attempt may be made again. */
  readonly state: 'sent' | 'delivered' | 'read' | 'failed' | 'responded' | 'withheld'
  readonly messageId: string
  /** The conversation's reason, not the send's. */
  readonly reason?: string
  readonly detail?: string
  /** With `failed`: whether the message can be sent later, or on another channel. */
  readonly retry?: 'later' | 'otherChannel' | 'never'
}
