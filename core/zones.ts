/** IANA time zones: whether the runtime knows a name. */
import { LRUCache } from 'lru-cache'

/** To ask the runtime takes long, so answers are cached. */
const answers = new LRUCache<string, boolean>({ max: 500 })

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z].{0,63}$/.test(name)) return false
  const known = answers.get(name)
  if (known !== undefined) return known
  const isKnown = canFormatIn(name)
  answers.set(name, isKnown)
  return isKnown
}

function canFormatIn(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
