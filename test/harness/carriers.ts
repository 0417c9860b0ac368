/**
 * One list of flow tests on every kind of provider. A rule about sending is tested on the emulator's phones, which have
 * no pace and give no receipts, and on a paced provider with receipts, as every real provider is.
 */
import type { Test } from 'tap'
import { EmulatedAccount } from './account.js'
import { waitUntil } from './clock.js'
import { type NodeProcess, testKey } from './process.js'
import { type ShownMessage, TestAgent } from './testagent.js'

/** A text that arrived at a phone. */
export interface ReceivedText {
  readonly address: string
  readonly text: string
}

/** An agent on a channel of one provider, and the phones of its people. */
export interface Carrier {
  readonly kind: CarrierKind
  readonly testAgent: TestAgent
  /** The account at the emulated provider, where there is one: tests give it faults and receipts. */
  readonly account?: EmulatedAccount
  sendFrom(from: string, text: string): Promise<void>
  /** Everything that arrived at phones, oldest first. */
  receivedTexts(): Promise<readonly ReceivedText[]>
}

export const carrierKinds = ['emulator', 'rbm'] as const
export type CarrierKind = (typeof carrierKinds)[number]

type Flow = (t: Test, carrier: Carrier) => Promise<void>

/** Runs each flow on each kind of provider, with an agent of its own. */
export function onEachCarrier(t: Test, node: () => NodeProcess, flows: Readonly<Record<string, Flow>>): void {
  for (const [title, flow] of Object.entries(flows)) {
    for (const kind of carrierKinds) {
      t.test(`${title} (${kind})`, async (t) => flow(t, await createCarrier(t, node(), kind)))
    }
  }
}

let agents = 0

export async function createCarrier(t: Test, node: NodeProcess, kind: CarrierKind): Promise<Carrier> {
  const testAgent = await TestAgent.open(t, node, `Harbor ${++agents}`)
  return kind === 'emulator' ? createPhoneCarrier(testAgent) : createAccountCarrier(testAgent)
}

async function createPhoneCarrier(testAgent: TestAgent): Promise<Carrier> {
  const { id } = await testAgent.bind('rcs', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  return {
    kind: 'emulator',
    testAgent,
    sendFrom: (from, text) => testAgent.phoneAct('rcs', { text }, from),
    async receivedTexts() {
      const all: ShownMessage[] = []
      for (;;) {
        const after = all.at(-1)?.number ?? 0
        const { data } = (await testAgent.manage('GET', `/system/emulator/shown?after=${after}`)) as {
          data: ShownMessage[]
        }
        if (data.length === 0) break
        all.push(...data)
      }
      return all
        .filter(({ bindingId, wire }) => bindingId === id && wire.block?.text !== undefined)
        .map(({ address, wire }) => ({ address, text: wire.block.text! }))
    },
  }
}

async function createAccountCarrier(testAgent: TestAgent): Promise<Carrier> {
  const account = await EmulatedAccount.open(testAgent, 'rbm', 'rcs', '+14155550100')
  return {
    kind: 'rbm',
    testAgent,
    account,
    async sendFrom(address, text) {
      const act = { kind: 'text', text }
      await testAgent.manage('POST', `/system/emulator/accounts/${account.account.id}/_act`, { address, act })
    },
    async receivedTexts() {
      const sent = await account.sent()
      return sent.flatMap(({ address, body }) => {
        const { contentMessage } = body as { contentMessage?: { text?: string } }
        return contentMessage?.text === undefined ? [] : [{ address, text: contentMessage.text }]
      })
    },
  }
}

/** The texts at one phone, once there are this many. */
export async function textsAt(carrier: Carrier, address: string, count: number): Promise<readonly string[]> {
  let texts: readonly string[] = []
  await waitUntil(async () => {
    texts = (await carrier.receivedTexts()).filter((each) => each.address === address).map(({ text }) => text)
    return texts.length >= count
  })
  return texts
}

/** Imports people by their numbers, with consent; returns the batch. */
export async function importPeople({ testAgent }: Carrier, phones: readonly string[]): Promise<string> {
  const rows = phones.map((phone, nth) => `${phone},P${nth},granted`)
  const answer = await fetch(`${testAgent.node.mgmt}/v1${testAgent.agentPath}/people/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'text/csv' },
    body: `phone,firstName,consent\n${rows.join('\n')}\n`,
  })
  const { importBatchId } = (await answer.json()) as { importBatchId: string }
  return importBatchId
}

/** Creates an outreach whose opener is that text. */
export async function makeOutreach(
  { testAgent }: Carrier,
  id: string,
  body: string,
  more: { readonly class?: 'marketing' | 'service'; readonly [member: string]: unknown } = {},
): Promise<void> {
  await testAgent.manage('POST', `${testAgent.agentPath}/message-templates`, { id: `${id}-opener`, name: id, body })
  const outreach = { id, name: id, class: 'service', openerTemplateId: `${id}-opener`, ...more }
  await testAgent.manage('POST', `${testAgent.agentPath}/outreach`, outreach)
}

/** Drafts and stages a campaign. */
export async function stageCampaign(
  { testAgent }: Carrier,
  outreachId: string,
  importBatchId: string,
): Promise<string> {
  const body = { name: outreachId, outreachId, audience: { importBatchId } }
  const { id } = await testAgent.manage('POST', `${testAgent.agentPath}/campaigns`, body)
  await testAgent.manage('POST', `${testAgent.agentPath}/campaigns/${id}/stage`)
  return id
}

export function phonesFrom(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => `+1415555${String(first + nth).padStart(4, '0')}`)
}
