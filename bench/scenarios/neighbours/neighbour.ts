/** A neighbour in a thread of its own: calls the health route of both planes in turn and times the answers. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const urls: readonly string[] = workerData
const pauseMs = 2
const agent = new Agent({ keepAlive: true })
let waits: number[] = []

function ask(url: string): Promise<void> {
  const start = performance.now()
  return new Promise((resolve) => {
    const done = () => {
      waits.push(performance.now() - start)
      setTimeout(resolve, pauseMs)
    }
    const call = request(`${url}/healthz`, { agent }, (answer) => answer.resume().once('end', done))
    call.once('error', done)
    call.end()
  })
}

async function requestForever(url: string): Promise<void> {
  for (;;) await ask(url)
}

/** All waits since the last request for them. */
parentPort!.on('message', () => {
  parentPort!.postMessage(waits)
  waits = []
})
for (const url of urls) void requestForever(url)
