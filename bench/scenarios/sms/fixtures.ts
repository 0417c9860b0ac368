/** Fixtures of all sms candidates: one account at a message center, people and their text. */

export { messageText, people } from '../messages/fixtures.js'

/**
 * A short account name, since some message centers take no longer ones. Both gateways have the same number of pending
 * submits.
 */
export const account = { systemId: 'bench', password: 'bench', from: '+15550100', windowSize: 256 } as const

export const host = '127.0.0.1'
