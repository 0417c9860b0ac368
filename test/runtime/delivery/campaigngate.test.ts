/** What keeps a message of a campaign from being handed over at the last moment. */
import t from 'tap'
import type { Conversation, OutboundMessageRecord, SendCampaignRef } from '../../../core/conversation/state.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { type CampaignGate, createHoldCheck } from '../../../runtime/delivery/campaigngate.js'
import type { Reader } from '../../../runtime/store/contract.js'

const [takenAt, now] = [1_000, 5_000]
const agent = { orgId: 'demo', agentId: 'desk' }
const campaign: SendCampaignRef = { campaignId: 'cm_1', incarnation: 1 }

/** An opening that was taken at 1,000 and is asked about at 5,000, of a person who wrote at that time. */
function hold(lastInboundAt: number | undefined, gate: CampaignGate, of: SendCampaignRef | undefined = campaign) {
  const conversation = {
    asid: 'usr_1',
    agent,
    ...(lastInboundAt !== undefined && { lastInboundAt }),
  } as unknown as Conversation
  const sendRef = { sendId: 'sd_1', attempt: 1, isLast: false, ...(of && { campaign: of }) }
  const opening = { id: 'msg_1', at: takenAt, sendRef } as unknown as OutboundMessageRecord
  const reader = {
    get: (table: unknown) => (table === conversationTable ? conversation : opening),
  } as unknown as Reader
  return createHoldCheck({ campaigns: gate, clock: { now: () => now } }, reader, conversation, opening)
}

const here = (may: boolean): CampaignGate => ({ mayDispatchLocal: () => may, mayDispatch: async () => may })
const elsewhere = (may: boolean): CampaignGate => ({ mayDispatchLocal: () => undefined, mayDispatch: async () => may })

t.test('An opening is held once its person has written since it was taken', async (t) => {
  for (const gate of [here(true), elsewhere(true)]) {
    const isHeld = async (heardAt?: number) => (await hold(heardAt, gate))()
    t.equal(await isHeld(), false, 'nobody wrote')
    t.equal(await isHeld(takenAt), false, 'its conversation knew that when it took it')
    t.equal(await isHeld(takenAt + 1), true)
    t.equal(await isHeld(now), true)
    t.equal(await isHeld(now + 1), false, 'a time before the clock was set back holds nothing up')
    t.equal((await hold(takenAt + 1, gate, { ...campaign, isFollowUp: true }))(), false, 'nor is a follow-up held')
  }
})

t.test(
  'A message is held where its agent says so, here or in another process, and one without a campaign never',
  async (t) => {
    for (const gate of [here(false), elsewhere(false)]) {
      t.equal((await hold(undefined, gate))(), true)
      const plain = { ...({ id: 'msg_2', at: takenAt } as unknown as OutboundMessageRecord) }
      const reader = { get: () => undefined } as unknown as Reader
      const places = { campaigns: gate, clock: { now: () => now } }
      t.equal(
        (await createHoldCheck(places, reader, { asid: 'usr_1', agent } as unknown as Conversation, plain))(),
        false,
      )
    }
  },
)

t.test('The agent is asked about the send of the message, each time anew', async (t) => {
  const asked: unknown[] = []
  let may = true
  const gate: CampaignGate = {
    mayDispatch: async () => true,
    mayDispatchLocal(of, send) {
      asked.push([of, send])
      return may
    },
  }
  const isHeld = await hold(undefined, gate)
  t.equal(isHeld(), false)
  may = false
  t.equal(isHeld(), true)
  for (const each of asked) t.same(each, [agent, { sendId: 'sd_1', campaignId: 'cm_1', incarnation: 1 }])
})
