/** What a person reads of a web page, as text: one walk over it, however it is written. */

/** What is inside these is not read as text, or is the frame of the page. */
const unread = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head', 'nav', 'select'])

/** What an element puts into the text where it begins; where it ends, a block ends the paragraph. */
const opening: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'p div section article main header footer aside form table ul ol dl pre blockquote figure figcaption address details summary body html'
      .split(' ')
      .map((name) => [name, '\n\n']),
  ),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `\n\n${'#'.repeat(level)} `])),
  li: '\n- ',
  dt: '\n',
  dd: '\n',
  tr: '\n',
  td: ' ',
  th: ' ',
  br: '\n',
  hr: '\n\n',
  option: '\n',
}

const tagName = /<(\/?)([A-Za-z][A-Za-z0-9-]*)/y

export function textOfHtml(html: string): string {
  const text: string[] = []
  let isPre = 0
  const say = (part: string) => {
    if (part !== '') text.push(isPre > 0 ? decoded(part) : decoded(part.replace(/\s+/g, ' ')))
  }
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    say(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    tagName.lastIndex = open
    const [, slash, written = ''] = tagName.exec(html) ?? []
    if (slash === undefined) {
      at = beyondMarkup(html, open)
      if (at === open + 1) say('<')
      continue
    }
    const name = written.toLowerCase()
    const isClosing = slash === '/'
    at = beyondTag(html, open + slash.length + written.length + 1)
    if (!isClosing && unread.has(name) && html[at - 2] !== '/') {
      at = beyondElement(html, at, name)
      continue
    }
    if (name === 'pre') isPre = Math.max(0, isPre + (isClosing ? -1 : 1))
    const put = opening[name]
    if (Object.hasOwn(opening, name) && put !== undefined) text.push(isClosing && put !== ' ' ? closingOf(put) : put)
  }
  return text
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function closingOf(put: string): string {
  return put.startsWith('\n\n') ? '\n\n' : ''
}

/** Comments, declarations and processing instructions; a lone `<` is text. */
function beyondMarkup(html: string, open: number): number {
  const comment = html.startsWith('<!--', open)
  if (!comment && html[open + 1] !== '!' && html[open + 1] !== '?') return open + 1
  const end = comment ? html.indexOf('-->', open + 4) : html.indexOf('>', open)
  return end < 0 ? html.length : end + (comment ? 3 : 1)
}

/** A `>` inside a quoted attribute ends nothing. */
function beyondTag(html: string, from: number): number {
  let quote = ''
  for (let at = from; at < html.length; at++) {
    const letter = html[at]!
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (letter === '>') return at + 1
    else if (letter === '"' || letter === "'") quote = letter
  }
  return html.length
}

function beyondElement(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const found = html.slice(at + 2, at + 2 + name.length)
    if (found.toLowerCase() === name && /[\s/>]/.test(html[at + 2 + name.length] ?? '>')) return beyondTag(html, at + 2)
  }
  return html.length
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  deg: '°',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  times: '×',
  frac12: '½',
  shy: '',
}

const entity = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));?/g

/** An entity that is not known stays as it is written. */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    const isLetter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isLetter ? String.fromCodePoint(code) : '\ufffd'
  })
}
