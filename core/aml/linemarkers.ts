/** Line markers: `[[name: field | field]]`. */

import { chipsOf } from './chips.js'
import type { Reference } from './contract.js'
import { addPart, addProblem, type Draft, fieldsOf, nextPath, withoutEmpty } from './draft.js'
import { mediaKindOf, putMedia } from './media.js'
import { momentOf } from './moment.js'
import type { Marker } from './scanner.js'

export type MarkerReader = (marker: Marker, draft: Draft) => void

export const lineMarkers: Readonly<Record<string, MarkerReader>> = {
  chips: readChips,
  media: readMedia,
  place: readPlace,
  contact: readContact,
  event: readEvent,
  signal: readSignal,
  template: (marker, draft) => readReference(marker, draft, 'template'),
  things: (marker, draft) => readReference(marker, draft, 'things'),
  collection: (marker, draft) => readReference(marker, draft, 'collection'),
}

/** Markers that make no part: the text around them stays one part. */
export const inlineMarkers: ReadonlySet<string> = new Set(['chips', 'signal'])

function readChips(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker)
  const chips = fields && chipsOf(draft, fields, marker.at)
  if (!chips) return
  if (draft.chips.length === 0) draft.origins.set('chips', marker.at)
  for (const chip of chips) {
    draft.origins.set(`chips[${draft.chips.length}]`, marker.at)
    draft.chips.push(chip)
  }
}

function readMedia(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker, 2)
  if (!fields) return
  const [address = '', alt] = fields
  const part: Record<string, unknown> = {
    type: 'media',
    mediaUrl: address,
    kind: mediaKindOf(address),
    ...withoutEmpty({ alt }),
  }
  const isValid = putMedia(draft, { holder: part, path: nextPath(draft), at: marker.at }, address)
  addPart(draft, isValid ? part : undefined, marker.at)
}

const coordinatePair = /^(-?\d{1,3}(?:\.\d{1,15})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,15})?)$/

/** A single field is the place; a label needs a second field. */
function readPlace(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker, 2)
  if (!fields) return
  const [label, location = ''] = fields.length === 1 ? [undefined, fields[0]] : fields
  const [, latitude, longitude] = coordinatePair.exec(location) ?? []
  const locationFields =
    latitude === undefined ? { address: location } : { latitude: Number(latitude), longitude: Number(longitude) }
  addPart(draft, { type: 'share.place', ...withoutEmpty({ label, ...locationFields }) }, marker.at)
}

function readContact(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker, 4)
  if (!fields) return
  const [name = '', phone, email, url] = fields
  addPart(draft, { type: 'share.contact', name, ...withoutEmpty({ phone, email, url }) }, marker.at)
}

function readEvent(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker, 4)
  if (!fields) return
  const [title = '', start = '', end = '', tz = ''] = fields
  const moment = (iso: string) => (tz === '' ? momentOf(draft, iso, marker.at) : { iso, tz })
  addPart(draft, { type: 'share.event', title, start: moment(start), end: moment(end) }, marker.at)
}

function readSignal(marker: Marker, draft: Draft): void {
  const fields = fieldsOf(draft, marker, 1)
  if (fields) draft.signals.push({ name: fields[0] ?? '', at: marker.at })
}

function readReference(marker: Marker, draft: Draft, kind: Reference['kind']): void {
  const fields = fieldsOf(draft, marker, 1)
  if (!fields) return
  const source = fields[0] ?? ''
  const ids = kind === 'things' ? source.split(',').map((id) => id.trim()) : [source]
  const { line, column } = marker.at
  if (!draft.options.managed) addProblem(draft, marker.at, 'managedOnly', `[[${kind}: …]] is for managed agents alone`)
  else if (ids.includes('')) addProblem(draft, marker.at, 'badMarker', `[[${kind}: …]] names an id`)
  else draft.references.push({ kind, ids, path: nextPath(draft), line, column })
}
