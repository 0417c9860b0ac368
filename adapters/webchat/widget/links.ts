/** Addresses that stand in plain words: what may be opened, and where in a text it stands. */

export interface Stretch {
  readonly text: string
  readonly url?: string
}

/** Only these are ever opened, whoever wrote them. */
const mayOpen = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i

export function openable(url: string): string | undefined {
  return mayOpen.test(url) ? url : undefined
}

/** An address, a mailbox, or a phone number that begins with a plus. Sizes are bounded, so a long text takes no longer. */
const found =
  /https?:\/\/[^\s<>"]{1,2000}|[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}|\+\d(?:[ ().-]{0,2}\d){6,14}/gi

export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = []
  let done = 0
  for (const { 0: match, index } of text.matchAll(found)) {
    const address = withoutClosing(match)
    if (index > done) stretches.push({ text: text.slice(done, index) })
    stretches.push({ text: address, url: urlOf(address) })
    done = index + address.length
  }
  if (done < text.length) stretches.push({ text: text.slice(done) })
  return stretches
}

function urlOf(address: string): string {
  if (address.startsWith('+')) return dialUrl(address)
  return /^https?:/i.test(address) ? address : `mailto:${address}`
}

/** What ends a sentence, or closes a bracket that was opened before the address, is not part of it. */
function withoutClosing(address: string): string {
  const bare = address.replace(/[.,;:!?'"…]+$/, '')
  return bare.endsWith(')') && !bare.includes('(') ? withoutClosing(bare.slice(0, -1)) : bare
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
