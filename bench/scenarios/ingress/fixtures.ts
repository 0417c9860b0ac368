/** Fixtures of the ingress scenario: an account at the provider, people and their texts. */
import { createHmac, createSecretKey } from 'node:crypto'

export const account = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'bench-auth-token', from: '+15550000001' }

/** Many more people than concurrent calls, so that two calls of one person hardly ever meet. */
export const people = 2_000

export const messageText = 'Could you tell me when it will arrive? I am only at home in the morning.'

export const addressOf = (person: number) => `+1555${String(1_000_000 + person)}`

/** The provider's signature, written a second time here so that the adapter is not measured against itself. */
export function signedText(url: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields).sort()
  return url + names.map((name) => name + fields[name]).join('')
}

const key = createSecretKey(account.authToken, 'utf8')

export function signatureOver(text: string): string {
  return createHmac('sha1', key).update(text).digest('base64')
}
