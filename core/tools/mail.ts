/** Mail as tools and notifications send it, and what came of one. */

export interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly replyTo?: string
  /** The same in every attempt: mailboxes show a mail once that arrives twice. */
  readonly messageId: string
}

export interface Sender {
  readonly address: string
  readonly name?: string
}

/** A mail server of the business. */
export interface MailServer {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls'
  readonly username: string
  readonly password: string
}

/** Every message is a sentence without a secret. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** It was not sent, and a further attempt would fail as well. */
  | { readonly kind: 'failed'; readonly message: string }
  /** It was not sent, and a further attempt may be made. */
  | { readonly kind: 'unsent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }

/** One line without control characters, of at most so many characters. */
export function headerText(text: string, maxChars: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
