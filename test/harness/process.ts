/** A real node in its own process, on free ports and its own folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../runtime/main.js', import.meta.url))

export interface NodeProcess {
  readonly mgmt: string
  readonly gateway: string
  readonly dir: string
  readonly process: ChildProcess
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** Sends the signal and resolves with the exit code, or with the signal's name when the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | string>
  clean(): Promise<void>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const testKey = 'sk-svc-a-key-that-only-tests-ever-use'

/** `openFiles` is the process's limit of open files. */
export async function startNode(
  env: Record<string, string> = {},
  dir?: string,
  openFiles?: number,
): Promise<NodeProcess> {
  const home = dir ?? (await mkdtemp(join(tmpdir(), 'parley-')))
  const child = spawnNode({ PARLEY_DATA_DIR: home, PARLEY_BOOTSTRAP_KEY: testKey, ...env }, openFiles)
  const printed = collect(child)
  const { mgmt, gateway } = await waitUntilStarted(child, printed)
  return {
    mgmt,
    gateway,
    dir: home,
    process: child,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? String(child.signalCode)
      const exit = once(child, 'exit')
      child.kill(signal)
      const [code, by] = await exit
      return code ?? by
    },
    async clean() {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit')
        child.kill('SIGKILL')
        await exit
      }
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Runs a node that is expected to end by itself. */
export async function runToEnd(env: Record<string, string>): Promise<Ended> {
  const child = spawnNode(env)
  const printed = collect(child)
  const [code] = await once(child, 'close')
  return { code, ...printed }
}

function spawnNode(env: Record<string, string>, openFiles?: number): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PARLEY_') && !name.startsWith('TAP'),
  )
  const command = [process.execPath, '--disable-proto=delete', main]
  const limited = openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, ...command]
  return spawn(limited[0]!, limited.slice(1), {
    env: {
      ...Object.fromEntries(inherited),
      NODE_OPTIONS: '',
      PARLEY_GATEWAY_PORT: '0',
      PARLEY_MGMT_PORT: '0',
      PARLEY_ALLOW_PRIVATE_URLS: 'true',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' }
  child.stdout?.on('data', (piece) => (printed.stdout += piece))
  child.stderr?.on('data', (piece) => (printed.stderr += piece))
  return printed
}

async function waitUntilStarted(
  child: ChildProcess,
  printed: { stdout: string; stderr: string },
): Promise<{ mgmt: string; gateway: string }> {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the node ended with ${code}: ${printed.stderr}`)))
    child.stdout?.on('data', () => {
      const line = printed.stdout.split('\n').find((each) => each.includes('"node.started"'))
      if (line) resolve(JSON.parse(line).urls)
    })
  })
}
