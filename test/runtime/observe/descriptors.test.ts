/** Open files: what of them may be connections, and what a node says and does when they run out. */
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { descriptors as limits } from '../../../core/limits/index.js'
import { allotDescriptors, watchDescriptors } from '../../../runtime/observe/descriptors.js'
import { createLog } from '../../../runtime/observe/log.js'
import { waitUntil } from '../../harness/clock.js'
import { startNode } from '../../harness/process.js'

t.test('Connections in and out, idle ones included, stay within the open file limit of the process', async (t) => {
  const files = fc.record({ most: fc.integer({ min: 128, max: 2 ** 21 }), used: fc.integer({ min: 10, max: 60 }) })
  fc.assert(
    fc.property(files, ({ most, used }) => {
      const { sockets, outgoing, outgoingPerHost } = allotDescriptors(most, used)
      return sockets.gateway + sockets.mgmt + 2 * outgoing + used <= most && outgoingPerHost * 4 <= outgoing + 3
    }),
  )
  t.equal(allotDescriptors(undefined, 0).sockets.gateway, 20_000, 'where the system sets no limit, ours hold')
})

t.test('Running out of open files is logged once, and shown as long as it lasts', async (t) => {
  const lines: string[] = []
  const { log } = createLog({ destination: { write: (line) => lines.push(line) } })
  let used: number | 'EMFILE' = 20
  const watch = watchDescriptors(200, log, async () => {
    if (used === 'EMFILE') throw Object.assign(new Error('too many open files'), { code: used })
    return used
  })
  t.teardown(watch.close)
  const seen: (string | undefined)[] = []
  for (const now of [20, 199, 'EMFILE', 200 - limits.reserve] as const) {
    used = now
    await watch.refresh()
    seen.push(watch.check.check())
  }
  t.match(seen, [undefined, /199 of 200 open files are in use/, /All 200 open files are in use/, undefined])
  t.same(
    lines.map((line) => JSON.parse(line).event),
    ['descriptors.exhausted', 'descriptors.recovered'],
  )
})

t.test('A node with few open files accepts what connections it can, reports it, and continues', async (t) => {
  const node = await startNode({ PARLEY_EMULATOR: 'false' }, undefined, 128)
  t.teardown(node.clean)
  const { port, hostname } = new URL(node.gateway)
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  let closed = 0
  for (let number = 0; number < 200; number++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => closed++)
    sockets.push(socket)
  }
  await waitUntil(() => closed > 100)
  const ready = async () => (await (await fetch(`${node.mgmt}/readyz`)).json()) as { status: string; checks: object[] }
  t.match(await ready(), { status: 'degraded', checks: { length: Number } })
  const { checks } = await ready()
  t.match(
    checks.find((check) => (check as { name: string }).name === 'connections'),
    { status: 'degraded', detail: /All connections of port \d+ are taken/ },
    'the other port says why',
  )
  t.match(node.stdout() + node.stderr(), /http\.connections\.full/)
  for (const socket of sockets) socket.destroy()
  await waitUntil(async () => (await ready()).status === 'ok')
  t.equal((await fetch(`${node.gateway}/healthz`)).status, 200)
})
