/** What tools need from the node: calls to other systems, each through the URL guard. */

import type { Mail, MailOutcome, MailServer, Sender } from '../../core/tools/mail.js'
import type { Exchange } from '../../core/tools/verdict.js'
import type { OutsideCall } from '../../core/turn/port.js'

export interface OutsideRequest extends Pick<OutsideCall, 'signal' | 'isStillOwner'> {
  readonly url: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface MailServerRequest extends Pick<OutsideCall, 'signal' | 'isStillOwner'> {
  readonly server: MailServer
  readonly from: Sender
  readonly mail: Mail
}

export type MailProvider = 'sendgrid' | 'mailgun'

export interface ToolEgress {
  /** Sends a request at most once, and follows no redirect. Never throws. */
  readonly call: (request: OutsideRequest) => Promise<Exchange>
  /** Hands a mail to a mail server at most once. Never throws. */
  readonly sendBySmtp: (request: MailServerRequest) => Promise<MailOutcome>
  /** The headers that sign a body. */
  readonly sign: (secret: string, at: number, body: Uint8Array) => Record<string, string>
  /** Where the API of a mail provider is for the holder of this key; undefined where the provider itself has it. */
  readonly mailApiUrl?: (provider: MailProvider, apiKey: string) => string | undefined
}
