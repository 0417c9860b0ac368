/** An account at an emulated provider, bound to a channel of a desk: what people do there, what goes wrong, what arrived. */
import type { Account, Act, Kept, WireName } from '../../adapters/emulator/contract.js'
import type { FaultOrder } from '../../adapters/emulator/faults.js'
import type { Desk } from './desk.js'

const at = '/system/emulator'

export type Trouble = Omit<FaultOrder, 'account'>

export class EmulatedAccount {
  private constructor(
    readonly desk: Desk,
    readonly channel: string,
    readonly account: Account,
    readonly address: string,
  ) {}

  /** Opens the account, binds the channel with its credentials, and tells the provider where to call. */
  static async open(desk: Desk, wire: WireName, channel: string, address: string): Promise<EmulatedAccount> {
    const { id, auth } = (await desk.manage('POST', `${at}/accounts`, { wire })) as Account
    const { ingressUrl } = await desk.bind(channel, { mode: 'unmanaged', provider: wire, auth })
    const account = await desk.manage('PATCH', `${at}/accounts/${id}`, { ingressUrl })
    return new EmulatedAccount(desk, channel, account, address)
  }

  /** What came of the provider's greeting; `none` where it has no greeting. */
  async greet(): Promise<string> {
    return (await this.desk.manage('POST', `${at}/accounts/${this.account.id}/_greet`)).outcome
  }

  /** Resolves to whether it was taken at the first try. */
  async act(act: Act): Promise<boolean> {
    const body = { address: this.address, act }
    return (await this.desk.manage('POST', `${at}/accounts/${this.account.id}/_act`, body)).taken
  }

  /** Gives the provider these faults; they end by themselves or when what is returned is called. */
  async troubles(...troubles: readonly Trouble[]): Promise<() => Promise<void>> {
    const ids: string[] = []
    for (const trouble of troubles) {
      ids.push((await this.desk.manage('POST', `${at}/faults`, { account: this.account.id, ...trouble })).id)
    }
    return async () => {
      const { data } = (await this.desk.manage('GET', `${at}/faults`)) as { data: readonly { id: string }[] }
      const left = data.filter(({ id }) => ids.includes(id))
      for (const { id } of left) await this.desk.manage('DELETE', `${at}/faults/${id}`)
    }
  }

  /** Everything that the provider accepted, as it got it, oldest first. */
  async sent(): Promise<readonly Kept[]> {
    return (await this.desk.manage('GET', `${at}/sent?account=${this.account.id}`)).data
  }

  /** Those of them that say so. */
  async saying(text: string): Promise<readonly Kept[]> {
    return (await this.sent()).filter(({ body }) => JSON.stringify(body).includes(text))
  }
}
