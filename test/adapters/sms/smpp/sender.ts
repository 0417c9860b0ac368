/** Sends texts through the adapter as a node does, over a line that a test has opened. */
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import type { SmppAuth } from '../../../../adapters/sms/smpp/auth.js'
import type { SmppPayload } from '../../../../adapters/sms/smpp/render.js'
import type { SmppSession } from '../../../../adapters/sms/smpp/session.js'
import type { SendContext, SendOutcome } from '../../../../core/channel/adapter.js'
import { auth } from './messagecenter.js'

export interface Sender {
  (text: string, id?: string, isWithheld?: () => boolean): Promise<SendOutcome>
  payload(payload: SmppPayload, id?: string): Promise<SendOutcome>
}

let sent = 0

export function sender(
  session: SmppSession | undefined,
  { from = auth.from as string, address = '+15550001' } = {},
): Sender {
  const payload = async (each: SmppPayload, id = `msg_test${++sent}.0`, isWithheld = () => false) => {
    const sending: SendContext<SmppAuth, SmppSession> = {
      auth: { ...auth, port: 1, from },
      bindingId: 'chb_1',
      ingressUrl: 'https://gateway.test/v4/ingress/chb_1',
      call: async () => ({ kind: 'none', detail: 'nothing is called', unsent: true }),
      cache: { get: async (_name, make) => (await make())?.value, invalidate: () => undefined },
      now: Date.now,
      signal: new AbortController().signal,
      address,
      id,
      isCancelled: isWithheld,
      ...(session && { connection: session }),
    }
    return smppAdapter.send(each, sending)
  }
  const send = (text: string, id?: string, isWithheld?: () => boolean) => {
    const [first] = smppAdapter.render([{ kind: 'text', text }], { address, messageId: id ?? 'msg_test' })
    return payload(first!, id, isWithheld)
  }
  return Object.assign(send, { payload })
}
