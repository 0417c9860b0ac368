/** `parley tail`: follows messages and log lines of agents live. */
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits/index.js'
import { usageError } from './failure.js'
import { fetchAll, parseWholeNumber } from './output.js'
import { agentPath, orgPath } from './paths.js'
import { pollNext } from './polling.js'
import type { Session } from './program.js'
import { tailLine } from './tailline.js'
import { createSource, type Source, type SourceKind, type TailRecord } from './tailsource.js'

interface TailOptions {
  readonly messages?: true
  readonly logs?: true
  readonly test?: true
  readonly lines: number
  readonly follow: boolean
}

export function tail(program: Command, getSession: () => Session): void {
  program
    .command('tail')
    .description('print the newest messages and logs, and go on as they come, until Ctrl-C')
    .argument('[agent]', 'id of the agent, or org/agent; without it, every agent of the org')
    .option('--messages', 'only what is said and what becomes of it')
    .option('--logs', 'only what is decided on the way')
    .option('--test', 'with the conversations of the emulator')
    .option('-n, --lines <number>', 'how many of the past', parseWholeNumber, limits.tailLines)
    .option('--no-follow', 'end after those of the past')
    .addHelpText('after', '\nExample: parley tail demo/harbor-desk --logs -n 50')
    .action((agent: string | undefined, options: TailOptions) => runTail(getSession(), agent, options))
}

async function runTail(session: Session, agent: string | undefined, options: TailOptions): Promise<void> {
  if (options.lines > limits.tailPageRows) throw usageError(`--lines goes up to ${limits.tailPageRows}.`)
  const kinds = kindsOf(options)
  const sources = new Map<string, Source>()

  async function listSources(lines: number): Promise<TailRecord[]> {
    const records: TailRecord[] = []
    for (const path of await agentPaths(session, agent)) {
      for (const kind of kinds) {
        if (sources.has(path + kind)) continue
        const source = createSource(session.api, path, kind, options.test === true)
        records.push(...(await source.readLatest(lines)))
        sources.set(path + kind, source)
      }
    }
    return records
  }

  const history = sortByTime(await listSources(options.lines))
  print(session, history.slice(Math.max(0, history.length - options.lines)))
  let polls = 0
  while (options.follow) {
    await pollNext(session.terminal, async () => {
      polls++
      const fresh = await Promise.all([...sources.values()].map((source) => source.readNew()))
      print(session, sortByTime(fresh.flat()))
      // A new agent is followed from its first record on.
      if (polls % limits.tailListPolls === 0) print(session, sortByTime(await listSources(limits.tailPageRows)))
    })
  }
}

function kindsOf({ messages, logs }: TailOptions): readonly SourceKind[] {
  if (messages === logs) return ['messages', 'logs']
  return messages ? ['messages'] : ['logs']
}

async function agentPaths(session: Session, agent: string | undefined): Promise<readonly string[]> {
  if (agent !== undefined) return [await agentPath(session, agent)]
  const path = `${await orgPath(session)}/agents`
  const all = await fetchAll<{ id: string }>(session, path)
  return all.map(({ id }) => `${path}/${id}`)
}

/** Timestamps of one format sort as text. Records of the same time keep their order. */
function sortByTime(records: readonly TailRecord[]): TailRecord[] {
  return [...records].sort((a, b) => (a.timestamp === b.timestamp ? 0 : a.timestamp < b.timestamp ? -1 : 1))
}

function print({ terminal, json }: Session, records: readonly TailRecord[]): void {
  if (records.length > 0)
    terminal.print(records.map((each) => (json ? JSON.stringify(each) : tailLine(each, terminal.paint))))
}
