/**
 * One list of flow tests on every kind of provider. A rule about sending is tested on the emulator's phones, which have no
 * pace and give no receipts, and on a paced provider with receipts, which is what every real provider is.
 */
import type { Test } from 'tap'
import { EmulatedAccount } from './account.js'
import { until } from './clock.js'
import { Desk, type Shown } from './desk.js'
import { type NodeProcess, testKey } from './process.js'

/** A text that reached a phone. */
export interface Arrived {
  readonly address: string
  readonly text: string
}

/** An agent on a channel of one provider, and the phones of the people there. */
export interface Carrier {
  readonly kind: CarrierKind
  readonly desk: Desk
  /** The account at the emulated provider, where there is one: faults and receipts are given to it. */
  readonly account?: EmulatedAccount
  writes(from: string, text: string): Promise<void>
  /** Everything that reached phones, oldest first. */
  arrived(): Promise<readonly Arrived[]>
}

export const carrierKinds = ['emulator', 'rbm'] as const
export type CarrierKind = (typeof carrierKinds)[number]

type Flow = (t: Test, carrier: Carrier) => Promise<void>

/** Runs each flow on each kind of provider, with an agent of its own. */
export function onEachCarrier(t: Test, node: () => NodeProcess, flows: Readonly<Record<string, Flow>>): void {
  for (const [title, flow] of Object.entries(flows)) {
    for (const kind of carrierKinds) {
      t.test(`${title} (${kind})`, async (t) => flow(t, await openCarrier(t, node(), kind)))
    }
  }
}

let agents = 0

export async function openCarrier(t: Test, node: NodeProcess, kind: CarrierKind): Promise<Carrier> {
  const desk = await Desk.open(t, node, `Harbor ${++agents}`)
  return kind === 'emulator' ? onPhones(desk) : onAccount(desk)
}

async function onPhones(desk: Desk): Promise<Carrier> {
  const { id } = await desk.bind('rcs', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  return {
    kind: 'emulator',
    desk,
    writes: (from, text) => desk.acts('rcs', { text }, from),
    async arrived() {
      const all: Shown[] = []
      for (;;) {
        const after = all.at(-1)?.number ?? 0
        const { data } = (await desk.manage('GET', `/system/emulator/shown?after=${after}`)) as { data: Shown[] }
        if (data.length === 0) break
        all.push(...data)
      }
      return all
        .filter(({ bindingId, wire }) => bindingId === id && wire.block?.text !== undefined)
        .map(({ address, wire }) => ({ address, text: wire.block.text! }))
    },
  }
}

async function onAccount(desk: Desk): Promise<Carrier> {
  const account = await EmulatedAccount.open(desk, 'rbm', 'rcs', '+14155550100')
  return {
    kind: 'rbm',
    desk,
    account,
    async writes(address, text) {
      const act = { kind: 'text', text }
      await desk.manage('POST', `/system/emulator/accounts/${account.account.id}/_act`, { address, act })
    },
    async arrived() {
      const sent = await account.sent()
      return sent.flatMap(({ address, body }) => {
        const { contentMessage } = body as { contentMessage?: { text?: string } }
        return contentMessage?.text === undefined ? [] : [{ address, text: contentMessage.text }]
      })
    },
  }
}

/** The texts that reached one phone, once there are so many. */
export async function textsAt(carrier: Carrier, address: string, count: number): Promise<readonly string[]> {
  let texts: readonly string[] = []
  await until(async () => {
    texts = (await carrier.arrived()).filter((each) => each.address === address).map(({ text }) => text)
    return texts.length >= count
  })
  return texts
}

/** Imports people by their numbers, with consent; answers the batch. */
export async function importPeople({ desk }: Carrier, phones: readonly string[]): Promise<string> {
  const rows = phones.map((phone, nth) => `${phone},P${nth},granted`)
  const answer = await fetch(`${desk.node.mgmt}/v1${desk.at}/people/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'text/csv' },
    body: `phone,firstName,consent\n${rows.join('\n')}\n`,
  })
  const { importBatchId } = (await answer.json()) as { importBatchId: string }
  return importBatchId
}

/** An outreach whose opening says that text. */
export async function makeOutreach(
  { desk }: Carrier,
  id: string,
  body: string,
  more: { readonly class?: 'marketing' | 'service'; readonly [member: string]: unknown } = {},
): Promise<void> {
  await desk.manage('POST', `${desk.at}/message-templates`, { id: `${id}-opener`, name: id, body })
  const outreach = { id, name: id, class: 'service', openerTemplateId: `${id}-opener`, ...more }
  await desk.manage('POST', `${desk.at}/outreach`, outreach)
}

/** Drafts and stages a campaign. */
export async function stageCampaign({ desk }: Carrier, outreachId: string, importBatchId: string): Promise<string> {
  const body = { name: outreachId, outreachId, audience: { importBatchId } }
  const { id } = await desk.manage('POST', `${desk.at}/campaigns`, body)
  await desk.manage('POST', `${desk.at}/campaigns/${id}/stage`)
  return id
}

export function phonesFrom(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => `+1415555${String(first + nth).padStart(4, '0')}`)
}
