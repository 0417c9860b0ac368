/** Detects postal addresses in typed text: a street with its number, or a postal code in its usual position. */

const wordSet = (words: string) => new Set(words.split(' '))

/** `12 Main Street` */
const streetSuffixes = wordSet(
  'street st road rd avenue ave boulevard blvd lane ln drive dr court ct place pl square sq terrace parkway pkwy ' +
    'highway hwy way close crescent broadway',
)
/** `12 rue de Rivoli`, `Calle Mayor 5` */
const streetPrefixes = wordSet(
  'rue avenue boulevard place chemin calle avenida paseo plaza carrer via viale piazza corso rua ulica ul',
)
/** `Hauptstraße 12` */
const streetEndings =
  /(stra(ß|ss)e|str|weg|platz|allee|gasse|ufer|damm|ring|straat|laan|plein|gatan|gata|vägen|vej|gade)$/
/** After a number these words make it an amount. */
const quantityUnits = wordSet(
  'min mins minute minutes hour hours day days week weeks month months year years block blocks mile miles km people of more',
)
const houseNumber = /^\d{1,5}\p{L}?([-/]\d{1,5}\p{L}?)?$/u
const longestChars = 200

export function isPostalAddress(text: string): boolean {
  if (text.length > longestChars || text.includes('?')) return false
  const parts = text.normalize('NFKC').toLowerCase().split(/[,\n]/).map(wordsOf)
  return parts.some(
    (words, at) => hasStreet(words) || endsWithPostalCode(words) || (at > 0 && beginsWithPostalCode(words)),
  )
}

function wordsOf(part: string): readonly string[] {
  return part
    .split(/\s+/)
    .map((word) => word.replace(/\.$/, ''))
    .filter(Boolean)
}

function hasStreet(words: readonly string[]): boolean {
  const isNumber = (at: number) => houseNumber.test(words[at] ?? '')
  if (isNumber(0) && !quantityUnits.has(words[1] ?? '')) {
    if (words.slice(2, 7).some((word) => streetSuffixes.has(word))) return true
    const street = words[1] === 'bis' || words[1] === 'ter' ? 2 : 1
    if (streetPrefixes.has(words[street] ?? '') && words.length > street + 1) return true
  }
  if (streetPrefixes.has(words[0] ?? '') && words.length > 2 && isNumber(words.length - 1)) return true
  return words.slice(0, 3).some((word, at) => streetEndings.test(word) && isNumber(at + 1))
}

/** Postal codes of Britain and Canada, at the end. */
function endsWithPostalCode(words: readonly string[]): boolean {
  const last = words.slice(-2).join(' ')
  return /^[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}$/.test(last) || /^[a-z]\d[a-z] \d[a-z]\d$/.test(last)
}

/** After a comma: `IL 62704`, `10115 Berlin`. */
function beginsWithPostalCode([first = '', second = '', ...more]: readonly string[]): boolean {
  if (/^[a-z]{2}$/.test(first)) return /^\d{5}(-\d{4})?$/.test(second) && more.length === 0
  return /^\d{4,6}$/.test(first) && /^\p{L}/u.test(second) && more.length < 2
}
