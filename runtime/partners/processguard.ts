/**
 * What a module of a partner finds of the process that it shares with the node. This keeps mistakes and simple means away
 * from the node; it is no wall against a module that is out to break it (ops/decisions/031).
 */

const ownPrefix = 'PARLEY_'

/**
 * Takes the node's variables, with its keys, out of the environment of this thread, which is a copy of the node's; those of
 * partners stay. Passing the thread an environment instead would have Node read the options of the process anew for it.
 * Signals go to whole processes, so none are sent from here: `process.abort` is refused in threads by Node itself.
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
