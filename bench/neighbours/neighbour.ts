/** A neighbour in a thread of its own: asks both planes whether they are well, one after the other, and times the answers. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const urls: readonly string[] = workerData
const pauseMs = 2
const agent = new Agent({ keepAlive: true })
let waits: number[] = []

function ask(url: string): Promise<void> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const done = () => {
      waits.push(performance.now() - begun)
      setTimeout(resolve, pauseMs)
    }
    const asked = request(`${url}/healthz`, { agent }, (answer) => answer.resume().once('end', done))
    asked.once('error', done)
    asked.end()
  })
}

async function askFor(url: string): Promise<void> {
  for (;;) await ask(url)
}

/** All waits since the last question. */
parentPort!.on('message', () => {
  parentPort!.postMessage(waits)
  waits = []
})
for (const url of urls) void askFor(url)
