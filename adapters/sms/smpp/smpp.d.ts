/** The part of `smpp`, which comes without types, that is used: units of the protocol, its alphabet, and its server. */
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
    /** Turns messages and times into strings on the way in, and back on the way out. */
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
