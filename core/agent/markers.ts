/** References in texts: `[[template: …]]`, `[[things: …]]`, `[[collection: …]]` and `image:<id>`. */

export interface Marker {
  readonly kind: 'template' | 'things' | 'collection' | 'image'
  readonly id: string
}

/** Linear: no part of these expressions reaches past the next bracket or colon. */
const bracketedMarker = /[ \t]*(?:template|things|collection)[ \t]*:[^[\]\n]*\]\]/y
const imageId = /[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*/y
const wordCharacter = /\w/
const imagePrefix = 'image:'

const noMarkers: readonly Marker[] = []

/** Each marker once, in the order of the text, images last; `\[[` is a literal. */
export function markersIn(text: string | undefined): readonly Marker[] {
  if (text === undefined) return noMarkers
  const first = text.indexOf('[[')
  const firstImage = text.indexOf(imagePrefix)
  if (first < 0 && firstImage < 0) return noMarkers
  const markers = new Map<string, Marker>()
  addBracketed(markers, text, first)
  addImages(markers, text, firstImage)
  return [...markers.values()]
}

/** A text may repeat a marker thousands of times: each distinct marker is parsed once. */
function addBracketed(markers: Map<string, Marker>, text: string, first: number): void {
  const read = new Set<string>()
  for (let open = first; open >= 0; ) {
    bracketedMarker.lastIndex = open + 2
    const isMarker = bracketedMarker.test(text)
    const end = isMarker ? bracketedMarker.lastIndex : open + 1
    if (isMarker && text[open - 1] !== '\\') {
      const inner = text.slice(open + 2, end - 2)
      if (!read.has(inner)) {
        read.add(inner)
        addNamed(markers, inner)
      }
    }
    open = text.indexOf('[[', end)
  }
}

function addNamed(markers: Map<string, Marker>, inner: string): void {
  const colon = inner.indexOf(':')
  const kind = inner.slice(0, colon).trim() as Marker['kind']
  for (const part of inner.slice(colon + 1).split(',')) {
    const id = part.trim()
    if (id !== '') add(markers, kind, id)
  }
}

function addImages(markers: Map<string, Marker>, text: string, first: number): void {
  for (let at = first; at >= 0; ) {
    const from = at + imagePrefix.length
    imageId.lastIndex = from
    const isImage = (at === 0 || !wordCharacter.test(text[at - 1]!)) && imageId.test(text)
    const end = isImage ? imageId.lastIndex : from
    if (isImage) add(markers, 'image', text.slice(from, end))
    at = text.indexOf(imagePrefix, end)
  }
}

function add(markers: Map<string, Marker>, kind: Marker['kind'], id: string): void {
  const key = `${kind}:${id}`
  if (!markers.has(key)) markers.set(key, { kind, id })
}
