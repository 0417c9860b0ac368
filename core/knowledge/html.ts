/** Extracts the readable text of a web page in one pass, for any input. */

/** Elements whose content is not readable text, or is the frame of the page. */
const skippedElements = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'head',
  'nav',
  'select',
])

/** What an element adds to the text where it starts; a block also ends the paragraph where it ends. */
const separators: Readonly<Record<string, string>> = {
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
  const append = (part: string) => {
    if (part !== '') text.push(isPre > 0 ? decodeEntities(part) : decodeEntities(part.replace(/\s+/g, ' ')))
  }
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    append(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    tagName.lastIndex = open
    const [, slash, tag = ''] = tagName.exec(html) ?? []
    if (slash === undefined) {
      at = skipMarkup(html, open)
      if (at === open + 1) append('<')
      continue
    }
    const name = tag.toLowerCase()
    const isClosing = slash === '/'
    at = skipTag(html, open + slash.length + tag.length + 1)
    if (!isClosing && skippedElements.has(name) && html[at - 2] !== '/') {
      at = skipElement(html, at, name)
      continue
    }
    if (name === 'pre') isPre = Math.max(0, isPre + (isClosing ? -1 : 1))
    const separator = separators[name]
    if (Object.hasOwn(separators, name) && separator !== undefined)
      text.push(isClosing && separator !== ' ' ? closingSeparator(separator) : separator)
  }
  return text
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function closingSeparator(separator: string): string {
  return separator.startsWith('\n\n') ? '\n\n' : ''
}

/** Comments, declarations and processing instructions; a lone `<` is text. */
function skipMarkup(html: string, open: number): number {
  const comment = html.startsWith('<!--', open)
  if (!comment && html[open + 1] !== '!' && html[open + 1] !== '?') return open + 1
  const end = comment ? html.indexOf('-->', open + 4) : html.indexOf('>', open)
  return end < 0 ? html.length : end + (comment ? 3 : 1)
}

/** A `>` inside a quoted attribute does not end the tag. */
function skipTag(html: string, from: number): number {
  let quote = ''
  for (let at = from; at < html.length; at++) {
    const char = html[at]!
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '>') return at + 1
    else if (char === '"' || char === "'") quote = char
  }
  return html.length
}

function skipElement(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const closingName = html.slice(at + 2, at + 2 + name.length)
    if (closingName.toLowerCase() === name && /[\s/>]/.test(html[at + 2 + name.length] ?? '>'))
      return skipTag(html, at + 2)
  }
  return html.length
}

const entities: Readonly<Record<string, string>> = {
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

/** An unknown entity stays as it is written. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : whole
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    const isLetter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isLetter ? String.fromCodePoint(code) : '\ufffd'
  })
}
