/** What a tap carries through the provider and back: which message, and which of its places. Short, and safe in any id. */

const mark = 'p1'

export interface Postback {
  readonly messageId: string
  readonly place: number
}

export function writePostback({ messageId, place }: Postback): string {
  return `${mark}.${messageId}.${place}`
}

/** Undefined for whatever is not ours. */
export function readPostback(text: string): Postback | undefined {
  const found = /^p1\.([A-Za-z0-9_-]{1,80})\.(0|[1-9][0-9]{0,3})$/.exec(text)
  return found ? { messageId: found[1]!, place: Number(found[2]) } : undefined
}
