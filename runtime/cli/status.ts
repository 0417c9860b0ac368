/** `parley status`: health of the node that answers, and its pending work. */
import type { Command } from 'commander'
import type { Status } from '../node/status.js'
import { type Cell, formatTable } from './columns.js'
import { Failure } from './failure.js'
import { formatCount, formatDuration, printResult } from './output.js'
import type { Session } from './program.js'
import { nodeColumns } from './shardtable.js'
import type { Paint, Tone } from './terminal.js'

export function status(program: Command, getSession: () => Session): void {
  program
    .command('status')
    .description('print the health, the version and the shards of a node, who else is there, and what waits')
    .addHelpText('after', '\nEnds with 1 when the node should not be sent work.')
    .action(() => printStatus(getSession()))
}

async function printStatus(session: Session): Promise<void> {
  const report = await session.api.get<Status>('/system/status')
  printResult(session, report, () => statusLines(report, session.terminal.paint))
  const { status: readiness } = report.ready
  if (readiness !== 'ok' && readiness !== 'degraded') {
    throw new Failure(`The node at ${session.api.url} should not be sent work: it is ${readiness}.`)
  }
}

const tones: Readonly<Record<string, Tone | undefined>> = {
  degraded: 'warning',
  draining: 'warning',
  unavailable: 'alarm',
  failed: 'alarm',
}

export function statusLines({ version, upSeconds, ready, nodes, shards, waiting }: Status, paint: Paint): string[] {
  const { total, owned, copied, behindEntries } = shards
  const { commands, oldestEffectSeconds: oldest } = waiting
  const behind = behindEntries > 0 ? `, ${formatCount(behindEntries)} entries behind` : ''
  const effects = oldest === undefined ? 'no effects' : `effects for up to ${formatDuration(oldest)}`
  const facts: [string, Cell][] = [
    ['state', { text: ready.status, tone: tones[ready.status] }],
    ['version', { text: version }],
    ['up', { text: formatDuration(upSeconds) }],
    ['shards', { text: `${owned} of ${total} owned, ${copied} copied${behind}` }],
    ['waiting', { text: `${formatCount(commands)} ${commands === 1 ? 'command' : 'commands'}, ${effects}` }],
  ]
  const checkColumns = [
    { head: 'CHECK', cell: ({ name }: Check) => name },
    { head: 'STATUS', cell: ({ status: text }: Check): Cell => ({ text, tone: tones[text] }) },
    { head: 'DETAIL', cell: ({ detail }: Check) => detail ?? '' },
  ]
  return [
    ...facts.map(([name, { text, tone }]) => `${paint(name.padEnd(9), 'head')}${paint(text, tone)}`),
    '',
    ...formatTable(checkColumns, ready.checks, paint),
    '',
    ...formatTable(nodeColumns, nodes, paint),
  ]
}

type Check = Status['ready']['checks'][number]
