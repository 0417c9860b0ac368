/** A candidate's process as the bench sees it: started, asked for its processor time or its work, stopped. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { nodeFlags } from '../../runtime/config/flags.js'
import { killChild, programFile, signalChild, startChild, waitForExit } from './children.js'
import type { Ready, RpcRequest, RpcResponse } from './rpc.js'
import { readLines } from './rpc.js'
import type { Sample, Window } from './sample.js'

const startMs = 60_000
/** The start timeout of a candidate that fills its disk first, and the time added for each record. */
const fillMs = 600_000
const fillMsEach = 1
const stopMs = 5_000

/** A program that the bench starts as a process of its own. */
export interface Program {
  readonly name: string
  /** Its file without the extension, relative to `bench/scenarios/`. */
  readonly program: string
  readonly args?: readonly string[]
  /** Flags for Node. */
  readonly flags?: readonly string[]
  /** Records that it writes before it is ready, where the scenario measures a full store; this may take minutes. */
  readonly filled?: number
}

export interface CandidateProcess {
  readonly ready: Ready
  /** A folder that the bench removes after the run. */
  readonly scratch: string
  /** Processor time since the process began. */
  cpuMicros(): Promise<number>
  /** Resident memory as the system reports it. */
  residentBytes(): Promise<number>
  /** Runs one window of a candidate that loads itself. */
  work(window: Window): Promise<Sample>
  /** Stops the process and its group until `resume`. */
  pause(): void
  resume(): void
  /** Asks the process to end; resolves when it has. */
  stop(): Promise<void>
}

/** What precedes the program on the command line: node alone, or a profiler that starts node. */
export type Launcher = readonly [command: string, ...args: string[]]

/**
 * The control connection is a socket and not Node's IPC channel, so that a candidate behaves the same when a profiler
 * stands between it and the bench.
 */
export async function startCandidate(
  candidate: Program,
  scratch: string,
  launcher: Launcher = [process.execPath],
  exitMs = stopMs,
): Promise<CandidateProcess> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [command, ...launcherArgs] = launcher
  const { program, flags = [], args = [], filled } = candidate
  const child = startChild(command, [...launcherArgs, ...nodeFlags, ...flags, programFile(program), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BENCH_CONTROL: String(port),
      BENCH_SCRATCH: scratch,
      ...(filled !== undefined && { BENCH_FILLED: String(filled) }),
    },
  })
  try {
    const socket = await acceptConnection(server, child, candidate)
    return await createRpc(socket, child, candidate.name, { scratch, exitMs })
  } catch (failure) {
    killChild(child)
    throw failure
  } finally {
    server.close()
  }
}

async function acceptConnection(
  server: ReturnType<typeof createServer>,
  child: ChildProcess,
  { name, filled }: Program,
): Promise<Socket> {
  const withinMs = filled === undefined ? startMs : fillMs + filled * fillMsEach
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it was ready`)
  })
  const signal = AbortSignal.timeout(withinMs)
  const connection = once(server, 'connection', { signal }).catch(() => {
    throw new Error(`${name} was not ready within ${withinMs / 1000} s`)
  })
  const [socket] = await Promise.race([connection, exited])
  return socket
}

async function createRpc(
  socket: Socket,
  child: ChildProcess,
  name: string,
  { scratch, exitMs }: { scratch: string; exitMs: number },
): Promise<CandidateProcess> {
  const pending = new Map<number, { resolve(answer: never): void; reject(failure: Error): void }>()
  let lastId = 0

  // The first response is readiness, with id 0; starting the process is its request.
  const ready = new Promise<Ready>((resolve, reject) => pending.set(0, { resolve, reject }))
  readLines<RpcResponse>(socket, (response) => {
    const waiter = pending.get(response.id)
    pending.delete(response.id)
    if ('failed' in response) waiter?.reject(new Error(`${name}: ${response.failed}`))
    else waiter?.resolve(response.answer as never)
  })
  socket.on('error', () => socket.destroy())
  const failure = new Error(`${name} ended in the middle of a run`)
  socket.on('close', () => {
    for (const waiter of pending.values()) waiter.reject(failure)
  })

  const call = <R>(request: Omit<RpcRequest, 'id'>) =>
    new Promise<R>((resolve, reject) => {
      if (socket.destroyed) return reject(failure)
      pending.set(++lastId, { resolve, reject })
      socket.write(`${JSON.stringify({ ...request, id: lastId })}\n`)
    })

  return {
    ready: await ready,
    scratch,
    cpuMicros: () => call<number>({ ask: 'cpu' }),
    residentBytes: () => call<number>({ ask: 'memory' }),
    work: (window) => call<Sample>({ ask: 'work', window }),
    pause: () => signalChild(child, 'SIGSTOP'),
    resume: () => signalChild(child, 'SIGCONT'),
    async stop() {
      signalChild(child, 'SIGCONT')
      call<void>({ ask: 'stop' }).catch(() => undefined)
      await waitForExit(child, exitMs)
    },
  }
}
