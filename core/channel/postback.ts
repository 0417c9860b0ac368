/**
 * Postbacks: the message id and tap index that a tap carries through the provider and back. Short, and safe in any id.
 */

const prefix = 'p1'

export interface Postback {
  readonly messageId: string
  readonly tapIndex: number
}

export function formatPostback({ messageId, tapIndex }: Postback): string {
  return `${prefix}.${messageId}.${tapIndex}`
}

/** Undefined for a text that is not Parley's postback. */
export function parsePostback(text: string): Postback | undefined {
  const match = /^p1\.([A-Za-z0-9_-]{1,80})\.(0|[1-9][0-9]{0,3})$/.exec(text)
  return match ? { messageId: match[1]!, tapIndex: Number(match[2]) } : undefined
}
