/** What keeps a message of a campaign from being handed over at the last moment. */
import t, { type Test } from 'tap'
import type { Conversation, OutboundMessageRecord, SendCampaignRef } from '../../../core/conversation/state.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { type CampaignGate, createHoldCheck, type HoldCheck } from '../../../runtime/delivery/campaigngate.js'
import type { Reader } from '../../../runtime/store/contract.js'

const [acceptedAt, now] = [1_000, 5_000]
const agent = { orgId: 'demo', agentId: 'desk' }
const campaign: SendCampaignRef = { campaignId: 'cm_1', incarnation: 1 }

/** An opening that was taken at 1,000 and is asked about at 5,000, of a person who wrote at that time. */
function createCheck(
  lastInboundAt: number | undefined,
  gate: CampaignGate,
  of: SendCampaignRef | undefined = campaign,
) {
  const conversation = {
    asid: 'usr_1',
    agent,
    ...(lastInboundAt !== undefined && { lastInboundAt }),
  } as unknown as Conversation
  const sendRef = { sendId: 'sd_1', attempt: 1, isLast: false, ...(of && { campaign: of }) }
  const opening = { id: 'msg_1', at: acceptedAt, sendRef } as unknown as OutboundMessageRecord
  const reader = {
    get: (table: unknown) => (table === conversationTable ? conversation : opening),
  } as unknown as Reader
  return createHoldCheck({ campaigns: gate, clock: { now: () => now } }, reader, conversation, opening)
}

/** The answer of the agent's shard, which is also the answer that needs no waiting afterwards. */
async function ask(t: Test, check: HoldCheck): Promise<boolean> {
  const answer = await check.ask()
  t.equal(check.isHeld(), answer)
  return answer
}

const here = (may: boolean): CampaignGate => ({ mayDispatchLocal: () => may, mayDispatch: async () => may })
const elsewhere = (may: boolean): CampaignGate => ({ mayDispatchLocal: () => undefined, mayDispatch: async () => may })

t.test('An opening is held once its person has written since it was taken', async (t) => {
  for (const gate of [here(true), elsewhere(true)]) {
    const isOnHold = async (inboundAt?: number) => ask(t, createCheck(inboundAt, gate))
    t.equal(await isOnHold(), false, 'nobody wrote')
    t.equal(await isOnHold(acceptedAt), false, 'its conversation knew that when it took it')
    t.equal(await isOnHold(acceptedAt + 1), true)
    t.equal(await isOnHold(now), true)
    t.equal(await isOnHold(now + 1), false, 'a time before the clock was set back holds nothing up')
    const ofFollowUp = createCheck(acceptedAt + 1, gate, { ...campaign, isFollowUp: true })
    t.equal(await ask(t, ofFollowUp), false, 'nor is a follow-up held')
  }
})

t.test(
  'A message is held where its agent says so, here or in another process, and one without a campaign never',
  async (t) => {
    for (const gate of [here(false), elsewhere(false)]) {
      t.equal(await ask(t, createCheck(undefined, gate)), true)
      const plain = { ...({ id: 'msg_2', at: acceptedAt } as unknown as OutboundMessageRecord) }
      const reader = { get: () => undefined } as unknown as Reader
      const deps = { campaigns: gate, clock: { now: () => now } }
      const conversation = { asid: 'usr_1', agent } as unknown as Conversation
      t.equal(await ask(t, createHoldCheck(deps, reader, conversation, plain)), false)
    }
  },
)

t.test('The agent is asked about the send of the message, each time anew', async (t) => {
  const queries: unknown[] = []
  let may = true
  const gate: CampaignGate = {
    mayDispatch: async () => true,
    mayDispatchLocal(of, send) {
      queries.push([of, send])
      return may
    },
  }
  const check = createCheck(undefined, gate)
  t.equal(check.ask(), false)
  may = false
  t.equal(check.isHeld(), true)
  t.equal(check.ask(), true)
  for (const each of queries) t.same(each, [agent, { sendId: 'sd_1', campaignId: 'cm_1', incarnation: 1 }])
})
