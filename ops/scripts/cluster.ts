/**
 * A whole cluster on one machine: three NATS servers, Redis and three Parley nodes. `up` starts the missing programs,
 * `down` ends those that `up` started and no others.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isOlder } from '../../runtime/nats/warnings.js'
import { natsUrl, nodeUrls, type Planned, planCluster, redisUrl } from './plan.js'
import { endProcess, isRunning, startProcess } from './process.js'
import { waitUntilReady } from './readiness.js'
import { newState, readState, type State, writeState } from './state.js'

const usage = `Usage: cluster up [--dir data/cluster] [--servers-only]
       cluster down [--dir data/cluster] [--wipe]

  --dir            where its ports, keys, logs and data are kept
  --servers-only   NATS and Redis without nodes, for those who start nodes themselves
  --wipe           after ending it, remove everything it kept`

/** The first version of NATS that can sync every message. */
const syncingSince = [2, 10, 0]

const programs = ['nats-server', 'redis-server']

async function up(dir: string, serversOnly: boolean): Promise<boolean> {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error)
  if (missing.length > 0) {
    console.error(`A cluster needs ${missing.join(' and ')}, and this machine has none. Install with one of:
  sudo apt-get install ${missing.join(' ')}
  brew install ${missing.map((program) => program.replace('redis-server', 'redis')).join(' ')}`)
    return false
  }
  const syncAlways = !isOlder(natsVersion(), syncingSince)
  let state = readState(dir) ?? (await newState())
  const plan = planCluster(dir, state, syncAlways)
  mkdirSync(join(dir, 'logs'), { recursive: true, mode: 0o700 })
  writeState(dir, state)
  for (const { path, text } of plan.files) {
    writeFileSync(path, text)
    chmodSync(path, 0o600)
  }
  for (const group of serversOnly ? [plan.servers] : [plan.servers, plan.nodes]) {
    for (const planned of group) state = await startIfNeeded(dir, state, planned)
    const problems = await Promise.all(group.map((planned) => waitUntilReady(planned, processOf(state, planned.name))))
    for (const problem of problems) if (problem !== undefined) console.error(problem)
    if (problems.some((problem) => problem !== undefined)) {
      console.error('What did start keeps running. To end it: npm run cluster:down')
      return false
    }
  }
  console.log(describe(dir, state, serversOnly))
  return true
}

async function down(dir: string, wipe: boolean): Promise<boolean> {
  const state = readState(dir)
  if (!state) {
    console.error(`There is no cluster in ${dir}.`)
    return !wipe
  }
  // Nodes first: they hand over their shards while the servers still run.
  const nodes = state.processes.filter(({ name }) => name.startsWith('parley-'))
  const servers = state.processes.filter((each) => !nodes.includes(each))
  for (const group of [nodes, servers]) await Promise.all(group.map(endProcess))
  const stubborn = state.processes.filter(isRunning)
  writeState(dir, { ...state, processes: stubborn })
  for (const { name, pid } of stubborn) console.error(`${name} (process ${pid}) cannot be ended.`)
  if (stubborn.length > 0) return false
  if (wipe) rmSync(dir, { recursive: true, force: true })
  console.log(wipe ? `The cluster has ended, and ${dir} is gone.` : `The cluster has ended. Its data stays in ${dir}.`)
  return true
}

async function startIfNeeded(dir: string, state: State, planned: Planned): Promise<State> {
  const running = state.processes.find(({ name }) => name === planned.name)
  if (running && isRunning(running)) return state
  const started = await startProcess(planned)
  const others = state.processes.filter((each) => each !== running)
  const updated = { ...state, processes: [...others, started] }
  // Written at once, so that `down` finds it even if a later step fails.
  writeState(dir, updated)
  return updated
}

function processOf({ processes }: State, name: string) {
  return processes.find((each) => each.name === name)!
}

function natsVersion(): string {
  const output = spawnSync('nats-server', ['--version'], { encoding: 'utf8' })
  return /v?(\d+\.\d+\.\d+)/.exec(`${output.stdout}${output.stderr}`)?.[1] ?? ''
}

function describe(dir: string, state: State, serversOnly: boolean): string {
  const lines = [
    `NATS    ${natsUrl(state)}`,
    `Redis   ${redisUrl(state)}`,
    ...(serversOnly ? [] : nodeUrls(state).map(({ mgmt, gateway }, at) => `node ${at + 1}  ${mgmt}/v1  ${gateway}/v4`)),
    ...(serversOnly ? [] : [`docs    ${nodeUrls(state)[0]!.mgmt}/v1/docs`]),
    `logs    ${join(dir, 'logs')}`,
    'end     npm run cluster:down',
    ...(serversOnly
      ? []
      : [
          '',
          'To use the command line with it, paste:',
          `export PARLEY_URL=${nodeUrls(state)[0]!.mgmt} PARLEY_KEY=${state.bootstrapKey}`,
        ]),
  ]
  return lines.join('\n')
}

const options = {
  dir: { type: 'string', default: 'data/cluster' },
  'servers-only': { type: 'boolean', default: false },
  wipe: { type: 'boolean', default: false },
} as const

const exitCodes = { done: 0, failed: 1, badUsage: 2 } as const

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const dir = resolve(values.dir)
  const [verb, ...rest] = positionals
  const codeOf = (done: boolean) => (done ? exitCodes.done : exitCodes.failed)
  if (verb === 'up' && rest.length === 0 && !values.wipe) return codeOf(await up(dir, values['servers-only']))
  if (verb === 'down' && rest.length === 0 && !values['servers-only']) return codeOf(await down(dir, values.wipe))
  throw new TypeError('It knows up and down.')
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = exitCodes.badUsage
}
