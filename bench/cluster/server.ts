/** A nats-server of a candidate's own: in the scratch folder, on a port that the system gives it, ended with the candidate. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const command = 'nats-server'
const startMs = 20_000
const lookEveryMs = 20

export function natsMissing(): string | undefined {
  return spawnSync(command, ['--version']).error ? `${command} is not installed here` : undefined
}

export interface NatsServer {
  readonly url: string
  readonly version: string
  stop(): Promise<void>
}

/** Everything that the server is not told here is as it comes, syncing to the disk included. */
export async function startNats(): Promise<NatsServer> {
  const folder = join(process.env.BENCH_SCRATCH ?? '.', `nats-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'server.conf')
  writeFileSync(config, `listen: "127.0.0.1:-1"\njetstream { store_dir: ${JSON.stringify(folder)} }\n`)
  const child = spawn(command, ['-c', config, '--ports_file_dir', folder], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  await once(child, 'spawn')
  const url = await listeningAt(join(folder, `${command}_${child.pid}.ports`), () => child.exitCode)
  return {
    url,
    version: spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout.trim(),
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The server writes its addresses into a file of that name when it listens. */
async function listeningAt(file: string, exitCode: () => number | null): Promise<string> {
  for (const deadline = Date.now() + startMs; Date.now() < deadline; await sleep(lookEveryMs)) {
    if (exitCode() !== null) throw new Error(`${command} ended with ${exitCode()}`)
    const url = existsSync(file) && readFileSync(file, 'utf8').match(/nats:\/\/[^"]+/)?.[0]
    if (url) return url
  }
  throw new Error(`${command} did not listen within ${startMs / 1000} s`)
}
