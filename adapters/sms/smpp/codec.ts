/** Encodes and decodes SMPP PDUs; the only file that uses the `smpp` library. */
import smpp from 'smpp'

export type Fields = Readonly<Record<string, unknown>>

/** A PDU with the field names of the specification. Texts are raw octets. */
export interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly sequence_number: number
  readonly [field: string]: unknown
}

/**
 * Without the library's filters every field keeps its raw value: they decode texts by rules of their own, and fail on
 * slightly malformed times.
 */
class PlainPdu extends smpp.PDU {
  override _filter(): void {}
}

export function encodePdu(command: string, sequence: number, fields: Fields = {}): Buffer {
  return new PlainPdu(command, { ...fields, sequence_number: sequence }).toBuffer()
}

/** Undefined for undecodable octets. An unknown command becomes `unknown`. */
export function decodePdu(octets: Buffer): Pdu | undefined {
  try {
    return new PlainPdu(octets)
  } catch {
    return undefined
  }
}

/** Decodes septets, one in each octet. */
export function decodeGsm7(septets: readonly number[]): string {
  return smpp.encodings.ASCII.decode(Buffer.from(septets))
}
