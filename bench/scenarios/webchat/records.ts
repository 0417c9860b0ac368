/** What a node writes for a message of web chat before the other side hears of it: as many records, about as large, as far apart. */
import { ownerOf } from '../commit/command.js'
import { recordsOf } from '../ingress/records.js'
import { commitsOf, type RecordWrite } from '../messages/records.js'
import { ofOwner } from '../store/keys.js'
import { visitors } from './fixtures.js'

const owners = Array.from({ length: visitors }, (_, visitor) => ownerOf(visitor))

/** A visitor says something: it is heard, and one line more of what their pages show. */
export function inboundRecords(serial: number, at: number): readonly RecordWrite[] {
  const asid = owners[serial % visitors]!
  return [
    ...recordsOf(serial, at, asid),
    ...transcriptRecords(asid, serial, { at, record: serial, id: String(serial) }),
  ]
}

/** The agent says something: it is taken, and out, as the next line of what their pages show. */
export function outboundRecords(serial: number, at: number): readonly RecordWrite[] {
  const asid = owners[serial % visitors]!
  const { accepted, handedOver } = commitsOf(serial, at, asid)
  const [, content] = accepted
  const [outgoing, , status, conversation] = handedOver
  return [outgoing!, content!, status!, conversation!, ...transcriptRecords(asid, serial, { at, messageId: asid })]
}

function transcriptRecords(asid: string, serial: number, entry: object): readonly RecordWrite[] {
  return [
    [ofOwner(asid, 'webchat.entry', serial), entry],
    [ofOwner(asid, 'webchat.head'), { newest: serial }],
  ]
}
