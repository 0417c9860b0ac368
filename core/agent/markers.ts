/** What texts name by id: `[[template: …]]`, `[[things: …]]`, `[[collection: …]]` and `image:<id>`. */

export interface Marker {
  readonly kind: 'template' | 'things' | 'collection' | 'image'
  readonly id: string
}

/** Neither looks at a character more than a few times: no part of them reaches over the next bracket or colon. */
const bracketed = /[ \t]*(template|things|collection)[ \t]*:([^[\]\n]*)\]\]/y
const image = /\bimage:([A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)/g

const none: readonly Marker[] = []

/** In the order of the text, images behind the rest; `\[[` is a literal. */
export function markersIn(text: string | undefined): readonly Marker[] {
  if (text === undefined) return none
  const first = text.indexOf('[[')
  const hasImages = text.includes('image:')
  if (first < 0 && !hasImages) return none
  const found: Marker[] = []
  for (let open = first; open >= 0; ) {
    bracketed.lastIndex = open + 2
    const marker = bracketed.exec(text)
    if (marker && text[open - 1] !== '\\') {
      for (const id of marker[2]!.split(',')) {
        if (id.trim() !== '') found.push({ kind: marker[1] as Marker['kind'], id: id.trim() })
      }
    }
    open = text.indexOf('[[', marker ? bracketed.lastIndex : open + 1)
  }
  if (hasImages) for (const [, id] of text.matchAll(image)) found.push({ kind: 'image', id: id! })
  return found
}
