/** NATS servers that restart without acknowledged writes, while the nodes keep running with their copies. */
import type { TestNats } from '../harness/nats.js'
import type { Cluster } from './cluster.js'
import type { ClusterFault } from './injection.js'
import { waitUntil } from './timeout.js'

export const lostLogs: readonly ClusterFault[] = [
  {
    name: 'servers rolled back',
    title: 'NATS servers that go back to an older state of their disks are told what they had acknowledged',
    isQuick: false,
    async inject(cluster, onInjected, { writesLost }) {
      await setAside(cluster)
      await lose(cluster, onInjected, writesLost, (server) => server.rollBackDisk())
    },
  },
  {
    name: 'servers emptied',
    title: 'NATS servers that lose their disks are told everything that they had acknowledged',
    isQuick: false,
    inject: (cluster, onInjected, { writesLost }) =>
      lose(cluster, onInjected, writesLost, (server) => server.loseDisk()),
  },
]

async function setAside({ nats, waitUntilAccepting }: Cluster): Promise<void> {
  await Promise.all(nats.servers.map((server) => server.end()))
  for (const server of nats.servers) server.saveDisk()
  const at = performance.now()
  await nats.startAll()
  await waitUntilAccepting(at)
}

async function lose(
  cluster: Cluster,
  onInjected: () => void,
  writesLost: number,
  damage: (server: TestNats) => void,
): Promise<void> {
  const { history, nats, faultNodes, rng } = cluster
  const enough = history.acknowledged().length + writesLost
  await waitUntil(`${writesLost} writes are taken`, faultNodes, () => history.acknowledged().length >= enough)
  await Promise.all(nats.servers.map((server) => server.kill()))
  for (const server of nats.servers) damage(server)
  const at = performance.now()
  onInjected()
  await nats.startAll()
  await cluster.waitUntilAccepting(at)
  // A node that starts only now must find the newly founded logs as well.
  const faultNode = rng.pick(faultNodes)
  await faultNode.kill()
  faultNode.spawn()
  await faultNode.started()
}
