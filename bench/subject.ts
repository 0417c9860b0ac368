/** A candidate's process as the bench sees it: started, asked for its processor time or its work, and stopped. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { nodeFlags } from '../runtime/nodeflags.js'
import { ended, killChild, programFile, signalChild, startChild } from './children.js'
import type { Asked, Ready, Told } from './control.js'
import { readLines } from './control.js'
import type { Sample, Window } from './sample.js'

const startMs = 60_000
/** The same for one that fills its disk first, and what is added for each record of that. */
const fillMs = 600_000
const fillMsEach = 1
const stopMs = 5_000

/** A program of the bench that is started as a process of its own. */
export interface Program {
  readonly name: string
  /** Its file below this folder. */
  readonly program: string
  readonly args?: readonly string[]
  /** Flags of Node itself. */
  readonly flags?: readonly string[]
  /** Records that it writes before it is ready, where the scenario measures a full store; that may take minutes. */
  readonly filled?: number
}

export interface Subject {
  readonly ready: Ready
  /** A folder that is removed when the run is over. */
  readonly scratch: string
  /** Processor time used since the process began. */
  cpuMicros(): Promise<number>
  /** What the system counts as the process's. */
  residentBytes(): Promise<number>
  /** The work of a candidate that loads itself. */
  work(window: Window): Promise<Sample>
  /** It stands still with all that it started, until it goes on. */
  rest(): void
  goOn(): void
  /** Asks it to end, and resolves when its process has. */
  stop(): Promise<void>
}

/** What stands before the program on the command line: node alone, or a profiler that starts node. */
export type Launcher = readonly [command: string, ...args: string[]]

/**
 * Control runs over a socket and not over the process's own channel, so that a candidate behaves
 * the same when a profiler stands between it and the bench.
 */
export async function startSubject(
  candidate: Program,
  scratch: string,
  launcher: Launcher = [process.execPath],
  exitMs = stopMs,
): Promise<Subject> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [command, ...before] = launcher
  const { program, flags = [], args = [], filled } = candidate
  const child = startChild(command, [...before, ...nodeFlags, ...flags, programFile(program), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BENCH_CONTROL: String(port),
      BENCH_SCRATCH: scratch,
      ...(filled !== undefined && { BENCH_FILLED: String(filled) }),
    },
  })
  try {
    const socket = await connected(server, child, candidate)
    return await converse(socket, child, candidate.name, { scratch, exitMs })
  } catch (failure) {
    killChild(child)
    throw failure
  } finally {
    server.close()
  }
}

async function connected(
  server: ReturnType<typeof createServer>,
  child: ChildProcess,
  { name, filled }: Program,
): Promise<Socket> {
  const withinMs = filled === undefined ? startMs : fillMs + filled * fillMsEach
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it was ready`)
  })
  const signal = AbortSignal.timeout(withinMs)
  const connection = once(server, 'connection', { signal }).catch(() => {
    throw new Error(`${name} was not ready within ${withinMs / 1000} s`)
  })
  const [socket] = await Promise.race([connection, gone])
  return socket
}

async function converse(
  socket: Socket,
  child: ChildProcess,
  name: string,
  { scratch, exitMs }: { scratch: string; exitMs: number },
): Promise<Subject> {
  const waiting = new Map<number, { resolve(answer: never): void; reject(failure: Error): void }>()
  let questions = 0

  // The first thing told, readiness, answers question 0, which is asked by starting the process.
  const ready = new Promise<Ready>((resolve, reject) => waiting.set(0, { resolve, reject }))
  readLines<Told>(socket, (told) => {
    const asker = waiting.get(told.id)
    waiting.delete(told.id)
    if ('failed' in told) asker?.reject(new Error(`${name}: ${told.failed}`))
    else asker?.resolve(told.answer as never)
  })
  socket.on('error', () => socket.destroy())
  const failure = new Error(`${name} ended in the middle of a run`)
  socket.on('close', () => {
    for (const asker of waiting.values()) asker.reject(failure)
  })

  const ask = <R>(asked: Omit<Asked, 'id'>) =>
    new Promise<R>((resolve, reject) => {
      if (socket.destroyed) return reject(failure)
      waiting.set(++questions, { resolve, reject })
      socket.write(`${JSON.stringify({ ...asked, id: questions })}\n`)
    })

  return {
    ready: await ready,
    scratch,
    cpuMicros: () => ask<number>({ ask: 'cpu' }),
    residentBytes: () => ask<number>({ ask: 'memory' }),
    work: (window) => ask<Sample>({ ask: 'work', window }),
    rest: () => signalChild(child, 'SIGSTOP'),
    goOn: () => signalChild(child, 'SIGCONT'),
    async stop() {
      signalChild(child, 'SIGCONT')
      ask<void>({ ask: 'stop' }).catch(() => undefined)
      await ended(child, exitMs)
    },
  }
}
