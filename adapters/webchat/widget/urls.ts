/** URLs in plain text: where they are, and which may be opened. */

export interface TextRun {
  readonly text: string
  readonly url?: string
}

/** Only these schemes are ever opened. */
const openablePattern = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i

export function openable(url: string): string | undefined {
  return openablePattern.test(url) ? url : undefined
}

/** A URL, a mail address, or a phone number with a plus. Lengths are bounded, so that matching takes linear time. */
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

/** Removes punctuation that ends a sentence, and a bracket that was opened before the URL. */
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
