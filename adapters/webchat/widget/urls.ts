/** Addresses that stand in plain words: what may be opened, and where in a text it stands. */

export interface TextRun {
  readonly text: string
  readonly url?: string
}

/** Only these are ever opened, whoever wrote them. */
const openablePattern = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i

export function openable(url: string): string | undefined {
  return openablePattern.test(url) ? url : undefined
}

/** An address, a mailbox, or a phone number that begins with a plus. Sizes are bounded, so a long text takes no longer. */
const addressPattern =
  /https?:\/\/[^\s<>"]{1,2000}|[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}|\+\d(?:[ ().-]{0,2}\d){6,14}/gi

export function splitLinks(text: string): TextRun[] {
  const runs: TextRun[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(addressPattern)) {
    const address = trimPunctuation(match)
    if (index > end) runs.push({ text: text.slice(end, index) })
    runs.push({ text: address, url: urlOf(address) })
    end = index + address.length
  }
  if (end < text.length) runs.push({ text: text.slice(end) })
  return runs
}

function urlOf(address: string): string {
  if (address.startsWith('+')) return dialUrl(address)
  return /^https?:/i.test(address) ? address : `mailto:${address}`
}

/** What ends a sentence, or closes a bracket that was opened before the address, is not part of it. */
function trimPunctuation(address: string): string {
  const trimmed = address.replace(/[.,;:!?'"…]+$/, '')
  return trimmed.endsWith(')') && !trimmed.includes('(') ? trimPunctuation(trimmed.slice(0, -1)) : trimmed
}

export function dialUrl(phone: string): string {
  return `tel:${phone.replace(/[^\d+]/g, '')}`
}

export function fileNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name) || url
  } catch {
    return name
  }
}
