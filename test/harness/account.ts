/**
 * An account at an emulated provider, bound to a channel of a test agent: people's actions, faults, arrived messages.
 */
import type { AcceptedMessage, Account, Act, ProviderName } from '../../adapters/emulator/contract.js'
import type { FaultInput } from '../../adapters/emulator/faults.js'
import type { TestAgent } from './testagent.js'

const at = '/system/emulator'

export type FaultSpec = Omit<FaultInput, 'account'>

export class EmulatedAccount {
  private constructor(
    readonly testAgent: TestAgent,
    readonly channel: string,
    readonly account: Account,
    readonly address: string,
  ) {}

  /** Opens the account, binds the channel with its credentials, and sets the provider's callback URL. */
  static async open(
    testAgent: TestAgent,
    provider: ProviderName,
    channel: string,
    address: string,
  ): Promise<EmulatedAccount> {
    const { id, auth } = (await testAgent.manage('POST', `${at}/accounts`, { wire: provider })) as Account
    const { ingressUrl } = await testAgent.bind(channel, { mode: 'unmanaged', provider, auth })
    const account = await testAgent.manage('PATCH', `${at}/accounts/${id}`, { ingressUrl })
    return new EmulatedAccount(testAgent, channel, account, address)
  }

  /** The outcome of the provider's greeting; `none` where the provider has no greeting. */
  async greet(): Promise<string> {
    return (await this.testAgent.manage('POST', `${at}/accounts/${this.account.id}/_greet`)).outcome
  }

  /** Resolves with whether the first attempt was accepted. */
  async act(act: Act): Promise<boolean> {
    const body = { address: this.address, act }
    return (await this.testAgent.manage('POST', `${at}/accounts/${this.account.id}/_act`, body)).taken
  }

  /** Sets these faults at the provider; they end by themselves or when the returned function is called. */
  async injectFaults(...injectFaults: readonly FaultSpec[]): Promise<() => Promise<void>> {
    const ids: string[] = []
    for (const fault of injectFaults) {
      ids.push((await this.testAgent.manage('POST', `${at}/faults`, { account: this.account.id, ...fault })).id)
    }
    return async () => {
      const { data } = (await this.testAgent.manage('GET', `${at}/faults`)) as { data: readonly { id: string }[] }
      const remaining = data.filter(({ id }) => ids.includes(id))
      for (const { id } of remaining) await this.testAgent.manage('DELETE', `${at}/faults/${id}`)
    }
  }

  /** Everything that the provider accepted, as it received it, oldest first. */
  async sent(): Promise<readonly AcceptedMessage[]> {
    return (await this.testAgent.manage('GET', `${at}/sent?account=${this.account.id}`)).data
  }

  /** The accepted messages with that text. */
  async sentContaining(text: string): Promise<readonly AcceptedMessage[]> {
    return (await this.sent()).filter(({ body }) => JSON.stringify(body).includes(text))
  }
}
