/** What all candidates of the sms scenario are about: one account at a message center, people, and what they are told. */

export { messageText, people } from '../messages/fixtures.js'

/** A short account, since some message centers take no longer ones. Both gateways have as many submits under way. */
export const account = { systemId: 'bench', password: 'bench', from: '+15550100', windowSize: 256 } as const

export const host = '127.0.0.1'
