/** Waits for a program to be ready, and shows its output when it never is. */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { localCluster as limits } from '../../runtime/shard/limits.js'
import type { Planned } from './plan.js'
import { isRunning } from './process.js'
import type { StartedProcess } from './state.js'

/** Undefined when it is ready; otherwise the reason, with the end of its log. */
export async function waitUntilReady(planned: Planned, started: StartedProcess): Promise<string | undefined> {
  for (const deadline = Date.now() + limits.startMs; Date.now() < deadline; await sleep(limits.pollEveryMs)) {
    if (!isRunning(started)) return `${planned.name} has ended. It said:\n${tailOf(planned.logFile)}`
    if (await (planned.healthUrl ? isHealthy(planned.healthUrl) : isListening(planned.port))) return undefined
  }
  return `${planned.name} is not ready after ${limits.startMs / 1000} seconds. It said:\n${tailOf(planned.logFile)}`
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: limits.startMs, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-limits.logTailLines).join('\n')
}
