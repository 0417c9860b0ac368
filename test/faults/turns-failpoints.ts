/** The moments of a turn at which a node is harmed, and what the record of the turn may say afterwards. */
import type { FlowName } from './turns-flows.js'

export interface Failpoint {
  readonly name: string
  readonly flow: FlowName
  /**
   * What the node waits for when it is harmed: the answer to a request, or, once the turn has ended, the provider.
   * Absent: it is harmed shortly after the text is on record.
   */
  readonly waitsFor?: 'picture' | 'tool' | 'delivery'
  /** What happens while the node waits, before it is harmed. */
  readonly meanwhile?: 'stop' | 'webhook'
  /** The states that the call of the turn may have: after a kill, and after the node has only stood still. */
  readonly call?: { readonly killed: readonly string[]; readonly paused: readonly string[] }
}

const known = ['ok', 'unknown'] as const

export const failpoints: readonly Failpoint[] = [
  { name: 'before a turn is committed', flow: 'picture', waitsFor: 'picture' },
  { name: 'while a call is to be made', flow: 'table', call: { killed: known, paused: known } },
  {
    name: 'between an effect inside and its outcome',
    flow: 'appointment',
    waitsFor: 'picture',
    call: { killed: ['ok'], paused: ['ok'] },
  },
  {
    name: 'while a tool is asked',
    flow: 'table',
    waitsFor: 'tool',
    call: { killed: ['unknown'], paused: known },
  },
  {
    name: 'while a tool that may be asked again is asked',
    flow: 'card',
    waitsFor: 'tool',
    call: { killed: ['ok'], paused: ['ok'] },
  },
  {
    name: 'between the answer of a tool and its outcome',
    flow: 'parcel',
    waitsFor: 'picture',
    call: { killed: ['unknown'], paused: known },
  },
  {
    name: 'after a STOP while a tool is asked',
    flow: 'table',
    waitsFor: 'tool',
    meanwhile: 'stop',
    call: { killed: ['unknown'], paused: known },
  },
  {
    name: 'after a webhook was set while a tool is asked',
    flow: 'table',
    waitsFor: 'tool',
    meanwhile: 'webhook',
    call: { killed: ['unknown'], paused: known },
  },
  { name: 'while its messages are delivered', flow: 'card', waitsFor: 'delivery' },
]

export const toolOf: Readonly<Partial<Record<FlowName, string>>> = {
  table: 'reserve',
  card: 'charge',
  parcel: 'deliver',
}
