/**
 * Restricts the process for a partner module that shares it with the node. This protects the node from mistakes and
 * simple attempts; it is no barrier against a module that is built to break it (ops/decisions/031).
 */

const ownPrefix = 'PARLEY_'

/**
 * Removes the node's variables, with its keys, from the environment of this thread, which is a copy of the node's;
 * variables of partners stay. With an environment of its own for the thread, Node would parse the options of the
 * process again for it. Signals affect whole processes, so the thread may send none; Node itself refuses
 * `process.abort` in threads.
 */
export function restrictProcess(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith(ownPrefix)) delete process.env[name]
  for (const name of ['kill', '_kill']) {
    Object.defineProperty(process, name, { value: refuseSignal, writable: false, configurable: false })
  }
}

function refuseSignal(): never {
  throw new Error('An adapter sends no signals: it shares its process with the node.')
}
