/** Types for the parts of the untyped `smpp` library in use: PDUs, the GSM alphabet, and the server. */
declare module 'smpp' {
  import type { Server as NetServer, Socket } from 'node:net'

  type Fields = Readonly<Record<string, unknown>>

  class PDU {
    constructor(from: Buffer)
    constructor(command: string, fields?: Fields)
    command: string
    command_status: number
    sequence_number: number;
    [field: string]: unknown
    isResponse(): boolean
    response(fields?: Fields): PDU
    toBuffer(): Buffer
    /** Converts messages and times to strings on decoding, and back on encoding. */
    _filter(direction: 'encode' | 'decode'): void
  }

  interface Session {
    readonly socket: Socket
    on(event: string, listener: (pdu: PDU) => void): this
    send(pdu: PDU, onAnswer?: (pdu: PDU) => void): boolean
    close(): void
    destroy(): void
  }

  const smpp: {
    readonly PDU: typeof PDU
    readonly encodings: { readonly ASCII: { encode(text: string): Buffer; decode(bytes: Buffer): string } }
    createServer(options: Readonly<Record<string, unknown>>, onSession: (session: Session) => void): NetServer
  }

  export { PDU, type Session }
  export default smpp
}
