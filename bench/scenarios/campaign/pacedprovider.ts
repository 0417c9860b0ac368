/**
 * The provider of the campaign-paced scenario: the emulated rbm in a process of its own. It answers its parent with the
 * credentials of an account, and sets the URL of that account's receipts.
 */
import { randomBytes } from 'node:crypto'
import { createEmulator } from '../../../runtime/emulator/emulator.js'

/** The URL of receipts, once the binding has one. */
export interface ProviderRequest {
  readonly ingressUrl?: string
}

const emulator = createEmulator(randomBytes(32))
await emulator.start()
const { id, auth } = emulator.providers.accounts.register({ wire: 'rbm' })!

process.on('message', ({ ingressUrl }: ProviderRequest) => {
  if (ingressUrl !== undefined) emulator.providers.accounts.change(id, { ingressUrl })
  process.send!(auth)
})
process.on('disconnect', () => process.exit(0))
