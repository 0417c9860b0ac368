/** A node's records of one web chat message before the other side sees it: as many, about as large, as far apart. */
import { ownerOf } from '../commit/command.js'
import { recordsOf } from '../ingress/records.js'
import { commitsOf, type RecordWrite } from '../messages/records.js'
import { ofOwner } from '../store/keys.js'
import { visitors } from './fixtures.js'

const owners = Array.from({ length: visitors }, (_, visitor) => ownerOf(visitor))

/** A visitor writes: the inbound message and one more transcript entry. */
export function inboundRecords(sequence: number, at: number): readonly RecordWrite[] {
  const asid = owners[sequence % visitors]!
  return [
    ...recordsOf(sequence, at, asid),
    ...transcriptRecords(asid, sequence, { at, record: sequence, id: String(sequence) }),
  ]
}

/** The agent writes: the accepted message, its delivery, and the next transcript entry. */
export function outboundRecords(sequence: number, at: number): readonly RecordWrite[] {
  const asid = owners[sequence % visitors]!
  const { accepted, handedOver } = commitsOf(sequence, at, asid)
  const [, content] = accepted
  const [outgoing, , status, conversation] = handedOver
  return [outgoing!, content!, status!, conversation!, ...transcriptRecords(asid, sequence, { at, messageId: asid })]
}

function transcriptRecords(asid: string, sequence: number, entry: object): readonly RecordWrite[] {
  return [
    [ofOwner(asid, 'webchat.entry', sequence), entry],
    [ofOwner(asid, 'webchat.head'), { newest: sequence }],
  ]
}
