/** `parley shards`: owners of shards, progress of their copies, and manual moves. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits/index.js'
import type { ShardList, ShardRow } from '../node/system.js'
import { Failure } from './failure.js'
import { parseWholeNumber, printResult } from './output.js'
import { pollNext } from './polling.js'
import type { Session } from './program.js'
import { shardLines, shardTable } from './shardtable.js'

const path = '/system/shards'

export function shards(program: Command, getSession: () => Session): void {
  const command = program
    .command('shards')
    .description('print which node owns each shard and how far the copies on other nodes are')
    .option('--watch', 'look again every second, until Ctrl-C')
    .action(({ watch }: { watch?: true }) => (watch ? watchShards(getSession()) : printShards(getSession())))
  command
    .command('move')
    .description('want a shard on that node from now on, and wait until it is there')
    .argument('<shard>', 'number of the shard', parseWholeNumber)
    .argument('<node>', 'id or address of a node that keeps shards, as `parley shards` prints them')
    .option(
      '--wait <seconds>',
      'how long to wait until it is there; 0 does not wait',
      parseWholeNumber,
      limits.moveSeconds,
    )
    .action((shard: number, node: string, { wait }: { wait: number }) => moveShard(getSession(), shard, node, wait))
  command
    .command('release')
    .description('let a shard that was moved go where it would by itself')
    .argument('<shard>', 'number of the shard', parseWholeNumber)
    .action((shard: number) => releaseShard(getSession(), shard))
}

async function printShards(session: Session): Promise<void> {
  const list = await session.api.get<ShardList>(path)
  printResult(session, list, () => shardLines(list, session.terminal.paint))
}

async function watchShards({ api, terminal, json }: Session): Promise<never> {
  let list = await api.get<ShardList>(path)
  for (;;) {
    if (json) terminal.print([JSON.stringify(list)])
    else terminal.draw([...headline(api.url, terminal), ...shardLines(list, terminal.paint), ''])
    list = await pollNext(terminal, () => api.get<ShardList>(path))
  }
}

function headline(url: string, { isInteractive: isWatched, paint }: Session['terminal']): string[] {
  const moment = new Date().toISOString().slice(0, 19).replace('T', ' ')
  return isWatched ? [paint(`${url}  ${moment} UTC  Ctrl-C ends this`, 'quiet'), ''] : []
}

async function moveShard(session: Session, shard: number, nodeName: string, waitSeconds: number): Promise<void> {
  const { api, terminal } = session
  const node = await nodeIdOf(session, nodeName)
  let row = await requestMove(session, shard, node)
  if (row.owner !== node && waitSeconds > 0)
    terminal.printNotice(`Shard ${shard} is wanted on ${node}. Waiting until it is there.`)
  const deadline = performance.now() + waitSeconds * 1000
  while (row.owner !== node && performance.now() < deadline) {
    await sleep(limits.movePollMs)
    row = (await api.get<ShardList>(path)).data[shard] ?? row
  }
  printRow(session, row)
  if (row.owner === node || waitSeconds === 0) return
  const state = row.owner === undefined ? 'has no owner' : `is still on ${row.owner}`
  throw new Failure(`Shard ${shard} ${state} after ${waitSeconds} seconds. It stays wanted on ${node}.`)
}

/** Resolves an address to the id of the one node that has it. Any other text is an id, which the node validates. */
async function nodeIdOf({ api }: Session, nodeName: string): Promise<string> {
  if (!nodeName.includes(':')) return nodeName
  const { nodes } = await api.get<ShardList>(path)
  const found = nodes.filter(({ address }) => address === nodeName)
  if (found.length > 1) throw new Failure(`${found.length} nodes have the address ${nodeName}. Name one by its id.`)
  return found[0]?.id ?? nodeName
}

/** A refused node name is most often mistyped, so the error lists the nodes that exist. */
async function requestMove({ api }: Session, shard: number, node: string): Promise<ShardRow> {
  try {
    return await api.put<ShardRow>(`${path}/${shard}/node`, { node })
  } catch (error) {
    if (!(error instanceof Failure) || error.refusalCode !== 'request.invalid') throw error
    const { nodes } = await api.get<ShardList>(path)
    const eligible = nodes
      .filter(({ keepsShards }) => keepsShards)
      .map(({ id, address }) => (address ? `${id} (${address})` : id))
    throw new Failure(`${error.message} Nodes that keep shards: ${eligible.join(', ') || 'none'}.`)
  }
}

async function releaseShard(session: Session, shard: number): Promise<void> {
  printRow(session, await session.api.put<ShardRow>(`${path}/${shard}/node`, { node: null }))
}

function printRow(session: Session, row: ShardRow): void {
  printResult(session, row, () => shardTable([row], session.terminal.paint))
}
