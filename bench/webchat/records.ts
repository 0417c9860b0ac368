/** What a node writes for a message of web chat before the other side hears of it: as many records, about as large, as far apart. */
import { ownerOf } from '../commit/command.js'
import { recordsOf } from '../ingress/records.js'
import { commitsOf, type Wrote } from '../messages/records.js'
import { visitors } from './setting.js'

const owners = Array.from({ length: visitors }, (_, visitor) => ownerOf(visitor))

/** A visitor says something: it is heard, and one line more of what their pages show. */
export function heardRecords(serial: number, at: number): readonly Wrote[] {
  const asid = owners[serial % visitors]!
  const line = { at, record: serial, id: String(serial) }
  return [
    ...recordsOf(serial, at, asid),
    [['webchat.line', asid, serial], line],
    [['webchat.head', asid], { newest: serial }],
    [['shard.commit'], { commit: serial }],
  ]
}

/** The agent says something: it is taken. Handing it over is another commit, which a page need not wait for. */
export function takenRecords(serial: number, at: number): readonly Wrote[] {
  return [...commitsOf(serial, at, owners[serial % visitors]!).accepted, [['shard.commit'], { commit: serial }]]
}
