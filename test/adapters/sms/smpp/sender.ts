/** Sends texts through the adapter as a node does, over a line that a test has opened. */
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import type { SmppAuth } from '../../../../adapters/sms/smpp/auth.js'
import type { SmppLine } from '../../../../adapters/sms/smpp/line.js'
import type { SmppWire } from '../../../../adapters/sms/smpp/render.js'
import type { Sending, SendOutcome } from '../../../../core/channel/adapter.js'
import { auth } from './center.js'

export interface Sender {
  (text: string, id?: string, isWithheld?: () => boolean): Promise<SendOutcome>
  wire(wire: SmppWire, id?: string): Promise<SendOutcome>
}

let sent = 0

export function sender(line: SmppLine | undefined, { from = auth.from as string, address = '+15550001' } = {}): Sender {
  const wire = async (each: SmppWire, id = `msg_test${++sent}.0`, isWithheld = () => false) => {
    const sending: Sending<SmppAuth, SmppLine> = {
      auth: { ...auth, port: 1, from },
      bindingId: 'chb_1',
      ingressUrl: 'https://gateway.test/v4/ingress/chb_1',
      call: async () => ({ kind: 'none', detail: 'nothing is called', unsent: true }),
      memory: { get: async (_name, make) => (await make())?.value, forget: () => undefined },
      now: Date.now,
      signal: new AbortController().signal,
      address,
      id,
      isWithheld,
      ...(line && { line }),
    }
    return smppAdapter.send(each, sending)
  }
  const send = (text: string, id?: string, isWithheld?: () => boolean) => {
    const [first] = smppAdapter.render([{ kind: 'text', text }], { address, messageId: id ?? 'msg_test' })
    return wire(first!, id, isWithheld)
  }
  return Object.assign(send, { wire })
}
