/** R45: what operators read of an appointment after each thing that was done to it. */
import t from 'tap'
import { formatAgentKey } from '../../../core/agentref.js'
import { day } from '../../../core/durations.js'
import { createSchedulingCommands } from '../../../mgmt/scheduling/commands.js'
import { everyDay } from '../../core/scheduling/arbitraries.js'
import { openAgentsFixture } from '../agents/fixture.js'

const fixture = await openAgentsFixture()
t.teardown(() => fixture.node.close())
const { node } = fixture
const commands = createSchedulingCommands({} as never)

t.test(
  'R45: the appointments of a person show status and history after each change, and the journal has a line',
  async (t) => {
    const { call, id: agentId } = await fixture.agent()
    const scheduling = {
      timezone: 'UTC',
      availableHours: everyDay('00:00', '24:00'),
      representatives: [{ id: 'ann', name: 'Ann' }],
    }
    t.equal((await call('PUT', '/scheduling', scheduling)).status, 200)
    const { json: person } = await call('POST', '/people', { firstName: 'Bo', phone: '+14155550100' })
    const [identity] = person.identities
    const midnight = Math.floor(node.clock.now() / day) * day
    const [first, second] = [midnight + 2 * day, midnight + 3 * day].map((at) => new Date(at).toISOString())
    let calls = 0
    const execute = (tool: keyof typeof commands, input: object) => {
      const agentRef = { orgId: 'demo', agentId }
      const context = {
        ...agentRef,
        asid: identity.asid,
        channel: identity.channel,
        address: '+14155550100',
        zone: 'Europe/Lisbon',
      }
      return node.node.engine.execute(formatAgentKey(agentRef), commands[tool], {
        ...context,
        arguments: { ...input },
        callId: `c${++calls}`,
      })
    }
    const appointments = async () => (await call('GET', `/people/${person.id}/appointments`)).json.data
    t.match(await execute('book', { start: first, durationMinutes: 45, notes: 'The lake house' }), {
      outcome: { state: 'ok' },
    })
    const now = new Date(node.clock.now()).toISOString()
    const [booked] = await appointments()
    t.strictSame(booked, {
      id: booked.id,
      startUtc: first,
      durationMinutes: 45,
      prospectTimezone: 'Europe/Lisbon',
      status: 'scheduled',
      representativeName: 'Ann',
      notes: 'The lake house',
      history: [{ at: now, action: 'scheduled', to: first }],
      createdAt: now,
    })
    await execute('reschedule', { start: second, reason: 'a train' })
    const moved = { at: now, action: 'rescheduled', from: first, to: second, reason: 'a train' }
    t.strictSame(await appointments(), [
      { ...booked, startUtc: second, status: 'rescheduled', history: [...booked.history, moved] },
    ])
    await execute('cancel', {})
    const cancelled = { at: now, action: 'cancelled', from: second }
    t.match(await appointments(), [{ status: 'cancelled', history: [...booked.history, moved, cancelled] }])
    const { journal } = (await call('GET', `/people/${person.id}`)).json
    t.equal(journal.length, 3)
  },
)
