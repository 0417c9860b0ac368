/** Kannel as Debian packages it: installed where root may, configured for one message center, observed from outside. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePorts } from '../../../test/harness/ports.js'
import { sleep } from '../messages/phones.js'
import { account, host } from './fixtures.js'

const programs = { bearerbox: '/usr/sbin/bearerbox', smsbox: '/usr/sbin/smsbox' } as const
const installMs = 120_000

export function isKannelHere(): boolean {
  return Object.values(programs).every((path) => existsSync(path))
}

/** A sentence where Kannel is missing and cannot be installed. */
export function kannelMissing(): string | undefined {
  if (isKannelHere()) return undefined
  if (process.getuid?.() !== 0) return 'Kannel is not installed here, and only root may do that: apt-get install kannel'
  // Without a run level, apt starts no service of the package.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const args = ['install', '--yes', '--no-install-recommends', 'kannel']
  spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: installMs })
  return isKannelHere() ? undefined : 'Kannel is not installed here, and apt-get could not do it'
}

export interface Kannel {
  /** The port that takes messages over HTTP. */
  readonly port: number
  /** Processor time of its programs. */
  cpuMicros(): number
  stop(): void
}

export async function startKannel(centerPort: number): Promise<Kannel> {
  const [admin, bearerboxPort, port] = (await freePorts(3)) as [number, number, number]
  const file = join(process.env.BENCH_SCRATCH ?? '.', `kannel-${process.pid}.conf`)
  writeFileSync(file, configuration({ admin, bearerboxPort, port, centerPort }))
  const children: ChildProcess[] = []
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.on('exit', stop)
  const start = async (path: string, listensOn: number) => {
    children.push(spawn(path, ['-v', '4', file], { stdio: 'ignore' }))
    while (!(await isOpen(listensOn))) await sleep(50)
  }
  await start(programs.bearerbox, bearerboxPort)
  await start(programs.smsbox, port)
  return { port, cpuMicros: () => children.reduce((sum, { pid }) => sum + usedMicros(pid!), 0), stop }
}

/** The least that Kannel can do: it logs errors only, stores nothing on the disk, and asks for no receipts. */
function configuration(ports: { admin: number; bearerboxPort: number; port: number; centerPort: number }): string {
  const { systemId, password, from, windowSize } = account
  const groups = {
    core: {
      'admin-port': ports.admin,
      'admin-password': password,
      'smsbox-port': ports.bearerboxPort,
      'box-allow-ip': host,
      'dlr-storage': 'internal',
      'log-level': 4,
    },
    smsc: {
      smsc: 'smpp',
      'smsc-id': 'center',
      host,
      port: ports.centerPort,
      'transceiver-mode': 'true',
      'smsc-username': systemId,
      'smsc-password': password,
      'system-type': '""',
      'max-pending-submits': windowSize,
    },
    smsbox: { 'bearerbox-host': host, 'sendsms-port': ports.port, 'global-sender': from, 'log-level': 4 },
    'sendsms-user': { username: systemId, password, 'max-messages': 10, concatenation: 'true' },
  }
  return Object.entries(groups)
    .map(([name, values]) => [`group = ${name}`, ...Object.entries(values).map(([key, value]) => `${key} = ${value}`)])
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The system reports it per thread, in nanoseconds. */
function usedMicros(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}
