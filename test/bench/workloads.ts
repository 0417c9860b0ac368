/**
 * A program with a workload and a number of people as arguments, over a node of its own process. `messages` receives a
 * message from each person and sends one to each, `campaign` sends them a campaign, `journey` accepts a step for each.
 */
import { createDraft, openCampaignNode } from '../../bench/scenarios/campaign/node.js'
import { createProvider } from '../../bench/scenarios/campaign/provider.js'
import { bodyOf } from '../../bench/scenarios/journey/fixtures.js'
import { callsOf, newNodeSetup, setUpAgent, startJourneyNode } from '../../bench/scenarios/journey/node.js'
import { createSendLoad, openGateway } from '../../bench/scenarios/messages/gateway.js'
import { greetAll, sleep } from '../../bench/scenarios/messages/phones.js'

const [, , workload, count] = process.argv
const people = Number(count)
/** Fewer than the calls that one API key may make at once. */
const callsPerKey = 500

async function messages(): Promise<void> {
  const asids = new Set<string>()
  let handedOver = 0
  const gateway = await openGateway({
    wrapShards: (shards) => ({
      ...shards,
      execute(owner, command, input, options) {
        if (command.name === 'conversation.receiveInbound') asids.add(owner)
        if (command.name === 'conversation.sendOutcome') handedOver++
        return shards.execute(owner, command, input, options)
      },
    }),
  })
  await greetAll(gateway.phones, people)
  const { request } = createSendLoad(gateway, [...asids], 'Your table is ready.')
  for (const body of request!.bodies!) {
    const answer = await fetch(`${gateway.url}${request!.path}`, { method: 'POST', headers: request!.headers, body })
    if (!answer.ok) throw new Error(`a message was answered with ${answer.status}: ${await answer.text()}`)
  }
  while (handedOver < people) await sleep(20)
  await gateway.stop()
}

async function campaign(): Promise<void> {
  const provider = createProvider()
  const node = await openCampaignNode(people, provider.wrapShards)
  const path = await createDraft(node)
  await node.call('POST', `${path}/stage`)
  await node.call('POST', `${path}/start`)
  while (provider.counts.got < people) await sleep(20)
  await node.stop()
}

async function journey(): Promise<void> {
  const node = await startJourneyNode(newNodeSetup(), { timeScale: 0.001 })
  const keyCount = Math.ceil(people / callsPerKey)
  const { path, keys } = await callsOf(await setUpAgent(node), keyCount)
  for (let profile = 0; profile < people; profile++) {
    const headers = { authorization: `Bearer ${keys[profile % keyCount]}`, 'content-type': 'application/json' }
    const answer = await fetch(`${node.url}${path}`, { method: 'POST', headers, body: bodyOf(profile) })
    if (!answer.ok) throw new Error(`a step was answered with ${answer.status}: ${await answer.text()}`)
  }
  await node.stop()
}

const workloads: Record<string, () => Promise<void>> = { messages, campaign, journey }
await workloads[workload!]!()
