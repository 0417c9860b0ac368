/** SMPP as octets: the one file that knows the library, which writes and reads the units of the protocol. */
import smpp from 'smpp'

export type Fields = Readonly<Record<string, unknown>>

/** What one side says to the other, its fields named as in the specification. Texts are octets, as they came. */
export interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly sequence_number: number
  readonly [field: string]: unknown
}

/**
 * The library would read texts by rules of its own, and stumbles over times that are not quite right. Without its filters
 * every field stays as it stands on the wire.
 */
class PlainPdu extends smpp.PDU {
  override _filter(): void {}
}

export function encodePdu(command: string, sequence: number, fields: Fields = {}): Buffer {
  return new PlainPdu(command, { ...fields, sequence_number: sequence }).toBuffer()
}

/** Undefined for what cannot be read. A command that nobody knows is read as `unknown`. */
export function decodePdu(octets: Buffer): Pdu | undefined {
  try {
    return new PlainPdu(octets)
  } catch {
    return undefined
  }
}

/** What these septets say, each in an octet of its own. */
export function decodeGsm7(septets: readonly number[]): string {
  return smpp.encodings.ASCII.decode(Buffer.from(septets))
}
