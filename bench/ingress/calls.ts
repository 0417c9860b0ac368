/** The provider's side of the ingress scenario: one call after another, each a new message, signed as it is made. */
import { requestBytes } from '../load/generator.js'
import { account, addressOf, people, signatureOf, words } from './setting.js'

export interface Calls {
  /** Where the provider calls, as it signs it. */
  readonly url: string
}

export function requests({ url }: Calls): () => Buffer {
  const { pathname } = new URL(url)
  const window = process.hrtime.bigint().toString(36)
  let serial = 0
  return () => {
    const fields = {
      AccountSid: account.accountSid,
      Body: words,
      From: addressOf(serial % people),
      MessageSid: `SM${window}${String(serial++).padStart(10, '0')}`,
      NumMedia: '0',
      NumSegments: '1',
      To: account.from,
    }
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signatureOf(url, fields),
    }
    return requestBytes({ method: 'POST', path: pathname, headers, body: new URLSearchParams(fields).toString() })
  }
}
