/** An account at an emulated provider, bound to a channel of a desk: what people do there, what goes wrong, what arrived. */
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

  /** Opens the account, binds the channel with its credentials, and tells the provider where to call. */
  static async open(
    testAgent: TestAgent,
    wire: ProviderName,
    channel: string,
    address: string,
  ): Promise<EmulatedAccount> {
    const { id, auth } = (await testAgent.manage('POST', `${at}/accounts`, { wire })) as Account
    const { ingressUrl } = await testAgent.bind(channel, { mode: 'unmanaged', provider: wire, auth })
    const account = await testAgent.manage('PATCH', `${at}/accounts/${id}`, { ingressUrl })
    return new EmulatedAccount(testAgent, channel, account, address)
  }

  /** What came of the provider's greeting; `none` where it has no greeting. */
  async greet(): Promise<string> {
    return (await this.testAgent.manage('POST', `${at}/accounts/${this.account.id}/_greet`)).outcome
  }

  /** Resolves to whether it was taken at the first try. */
  async act(act: Act): Promise<boolean> {
    const body = { address: this.address, act }
    return (await this.testAgent.manage('POST', `${at}/accounts/${this.account.id}/_act`, body)).taken
  }

  /** Gives the provider these faults; they end by themselves or when what is returned is called. */
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

  /** Everything that the provider accepted, as it got it, oldest first. */
  async sent(): Promise<readonly AcceptedMessage[]> {
    return (await this.testAgent.manage('GET', `${at}/sent?account=${this.account.id}`)).data
  }

  /** Those of them that say so. */
  async sentContaining(text: string): Promise<readonly AcceptedMessage[]> {
    return (await this.sent()).filter(({ body }) => JSON.stringify(body).includes(text))
  }
}
