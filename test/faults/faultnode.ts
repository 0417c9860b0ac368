/** A node with books in its own process that can be killed, paused, stopped and restarted on its data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testKey } from '../harness/process.js'
import { suspendProcess } from '../harness/suspension.js'

export type Plane = 'mgmt' | 'gateway'

export interface FaultNode {
  readonly name: string
  /** Its address, of the management plane by default; undefined while it is not running or has not reported it. */
  url(plane?: Plane): string | undefined
  /** Begins to start and returns at once. */
  spawn(): void
  /** Resolves when the node serves; rejects with its last output when it ended instead. */
  started(): Promise<void>
  kill(): Promise<void>
  pause(): Promise<void>
  resume(): void
  /** Asks the node to stop; resolves with its exit code, or with the signal that ended it. */
  end(): Promise<number | string>
  /** Unrequested exits of the process, each as a sentence. */
  surprises(): readonly string[]
  /** The end of its output, over all lives. */
  printed(): string
  /** Ends the node for good and removes its files. */
  remove(): Promise<void>
}

const program = fileURLToPath(new URL('./node.js', import.meta.url))
const maxOutputChars = 200_000

export function openFaultNode(name: string, env: Readonly<Record<string, string>>): FaultNode {
  const dir = mkdtempSync(join(tmpdir(), 'parley-faults-'))
  const surprises: string[] = []
  let child: ChildProcess | undefined
  let urls: Readonly<Record<Plane, string>> | undefined
  let output = ''
  let shouldRun = false
  let starting: Promise<void> = Promise.reject(new Error(`${name} was never started`))
  starting.catch(() => {})
  const killAtExit = () => child?.kill('SIGKILL')
  process.on('exit', killAtExit)

  function endText(code: number | null, signal: string | null): string {
    return `${name} ended with ${signal ?? code}:\n${output.slice(-2_000)}`
  }

  function follow(waitForUrl: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      let line = ''
      const read = (piece: Buffer) => {
        output = `${output}${piece}`.slice(-maxOutputChars)
        if (urls !== undefined) return
        line += piece
        const startLine = line.split('\n').find((each) => each.includes('"node.started"') && each.endsWith('}'))
        if (!startLine || child !== waitForUrl) return
        urls = (JSON.parse(startLine) as { urls: Record<Plane, string> }).urls
        resolve()
      }
      waitForUrl.stdout!.on('data', read)
      waitForUrl.stderr!.on('data', read)
      waitForUrl.on('exit', (code, signal) => {
        reject(new Error(endText(code, signal)))
        if (child !== waitForUrl) return
        urls = undefined
        if (shouldRun) surprises.push(endText(code, signal))
        shouldRun = false
      })
    })
  }

  async function send(signal: NodeJS.Signals): Promise<number | string> {
    const exiting = child
    shouldRun = false
    if (!exiting) return 'never'
    if (exiting.exitCode === null && exiting.signalCode === null) {
      const exit = once(exiting, 'exit')
      exiting.kill(signal)
      await exit
    }
    return exiting.exitCode ?? String(exiting.signalCode)
  }

  async function kill(): Promise<void> {
    await send('SIGKILL')
  }

  return {
    name,
    url: (plane = 'mgmt') => urls?.[plane],
    spawn() {
      urls = undefined
      shouldRun = true
      child = spawn(process.execPath, ['--disable-proto=delete', program], {
        env: { ...inheritedEnv(), ...common, PARLEY_DATA_DIR: dir, FAULTS_NODE: name, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      starting = follow(child)
      starting.catch(() => {})
    },
    started: () => starting,
    kill,
    pause: () => suspendProcess(child),
    resume: () => void child?.kill('SIGCONT'),
    end: () => send('SIGTERM'),
    surprises: () => surprises,
    printed: () => output,
    async remove() {
      await kill()
      process.off('exit', killAtExit)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const common = {
  NODE_OPTIONS: '',
  PARLEY_GATEWAY_PORT: '0',
  PARLEY_MGMT_PORT: '0',
  PARLEY_BOOTSTRAP_KEY: testKey,
  PARLEY_ALLOW_PRIVATE_URLS: 'true',
}

function inheritedEnv(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|TAP)/.test(name))
  return Object.fromEntries(variables)
}
