/**
 * The thread of one partner module: loads its adapters and runs the calls of the node, each adapter behind its guard.
 * An unhandled rejection is logged and ends nothing; an uncaught exception ends the thread.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import type { Adapter, ProviderConnection } from '../../core/channel/adapter.js'
import { redactSecrets, secretsIn } from '../../core/channel/credentialsecrets.js'
import { guardAdapter } from '../delivery/guard.js'
import { adapterError, adaptersIn } from './adaptercheck.js'
import { type FromThread, type KnownTraits, type LoadedAdapter, optionalMembers, type ToThread } from './contract.js'
import { adapterThread as limits } from './limits.js'
import { restrictProcess } from './processguard.js'
import { createThreadContext } from './threadcontext.js'

type Call = Extract<ToThread, { readonly kind: 'call' }>

const port = parentPort!
const post = (message: FromThread) => port.postMessage(message)
const current = new AsyncLocalStorage<Call>()
const connections = new Map<number, ProviderConnection>()
const threadContext = createThreadContext(post, (connectionId) => connections.get(connectionId))
let adapters: readonly Adapter[] = []

let logLineCount = 0
setInterval(() => {
  logLineCount = 0
}, 1_000).unref()

function writeLog(fields: Readonly<Record<string, string>>): void {
  logLineCount++
  if (logLineCount <= limits.logLinesPerSecond) post({ kind: 'log', fields })
}

/** The text of an error outside of any call may hold a secret unknown to the thread, so only its name is logged. */
function reportUnhandled(doing: string, error: unknown): void {
  const call = current.getStore()
  const name = error instanceof Error ? error.name : typeof error
  if (!call) return writeLog({ doing, problem: name })
  const { channel, provider, form } = adapters[call.adapter]!.descriptor
  const auth = call.contextData?.auth ?? (call.member === 'receive' ? call.args[1] : undefined)
  const text = redactSecrets(error instanceof Error ? error.message : String(error), secretsIn(form.credentials, auth))
  const bindingId = call.contextData?.bindingId
  writeLog({ channel, provider, ...(bindingId && { bindingId }), doing: `${call.member}: ${doing}`, problem: text })
}

process.on('unhandledRejection', (error) => reportUnhandled('a rejection without a handler', error))
process.on('uncaughtException', (error) => {
  reportUnhandled('an exception without a handler', error)
  process.exit(1)
})

async function load(file: string): Promise<void> {
  try {
    const exported = adaptersIn((await import(pathToFileURL(file).href)) as Record<string, unknown>)
    const loadError =
      exported.length === 0
        ? 'gives no adapter, neither as its default export nor as `adapters`'
        : exported.map(adapterError).find((problem) => problem !== undefined)
    if (loadError) return post({ kind: 'unusable', problem: loadError })
    const log = { error: (_event: string, fields: Readonly<Record<string, string>>) => writeLog(fields) }
    adapters = (exported as readonly Adapter[]).map((each) => guardAdapter(each, log))
    post({ kind: 'loaded', adapters: adapters.map(describe) })
  } catch (error) {
    const problem = `cannot be loaded: ${(error as Error)?.message ?? 'it threw no error'}`
    post({ kind: 'unusable', problem })
  }
}

function describe(adapter: Adapter): LoadedAdapter {
  return { descriptor: adapter.descriptor, members: optionalMembers.filter((name) => adapter[name] !== undefined) }
}

async function runCall(call: Call): Promise<void> {
  const { id, adapter: adapterIndex, member, args, contextData } = call
  const adapter = adapters[adapterIndex]!
  try {
    const callContext = contextData ? [threadContext.open(id, contextData)] : []
    const work = adapter[member] as (...args: unknown[]) => unknown
    const data = member === 'receive' ? [withHeader(args[0]), ...args.slice(1)] : args
    const result = work(...data, ...callContext)
    if (member === 'connect') return void connections.set(id, result as ProviderConnection)
    const answer = await result
    threadContext.close(id)
    const traits = traitsIn(adapter, answer)
    post({ kind: 'done', id, answer, ...(traits.length > 0 && { traits }) })
  } catch (error) {
    threadContext.close(id)
    post({ kind: 'failed', id, problem: (error as Error)?.message ?? 'it threw no error' })
  }
}

/** Headers travel as data. */
function withHeader(request: unknown): unknown {
  const { headers, ...rest } = request as { readonly headers: Readonly<Record<string, string>> }
  return { ...rest, header: (name: string) => headers[name.toLowerCase()] ?? '' }
}

/** The node narrows messages synchronously, so each list of device capabilities comes with its traits. */
function traitsIn(adapter: Adapter, answer: unknown): KnownTraits {
  if (!adapter.traitsForDevice || typeof answer !== 'object' || answer === null) return []
  const { deviceCapabilities, items = [] } = answer as {
    deviceCapabilities?: readonly string[]
    items?: readonly { deviceCapabilities?: readonly string[] }[]
  }
  const lists = [deviceCapabilities, ...items.map((item) => item.deviceCapabilities)].filter(
    (list) => list !== undefined,
  )
  const distinct = new Map(lists.map((list) => [JSON.stringify(list), list]))
  return [...distinct.values()].map((list) => [list, adapter.traitsForDevice!(list)] as const)
}

async function closeConnection(id: number): Promise<void> {
  await connections.get(id)?.close()
  connections.delete(id)
  threadContext.close(id)
  post({ kind: 'done', id })
}

function sendHeartbeat(): void {
  const failures = [...connections].flatMap(([id, connection]) => {
    const failure = connection.problem()
    return failure === undefined ? [] : [[id, failure] as const]
  })
  post({ kind: 'heartbeat', externalBytes: getHeapStatistics().external_memory, failures })
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'call') void current.run(message, () => runCall(message))
  else if (message.kind === 'abort') threadContext.abort(message.id)
  else if (message.kind === 'closeConnection') void closeConnection(message.id)
  else if (message.kind === 'callback') threadContext.complete(message)
  else sendHeartbeat()
})

restrictProcess()
await load((workerData as { readonly file: string }).file)
