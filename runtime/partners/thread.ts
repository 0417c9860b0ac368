/**
 * The thread of one module of a partner: loads its adapters and performs the calls of the node, each adapter behind its
 * guard. A rejection without a handler is logged and ends nothing; an exception without a handler ends the thread.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { guarded } from '../../adapters/kit/guard.js'
import { scrubbed, secretsIn } from '../../adapters/kit/secrets.js'
import type { Adapter, Line } from '../../core/channel/adapter.js'
import { adaptersIn, wrongAdapter } from './check.js'
import { confine } from './confine.js'
import { type FromThread, type KnownTraits, type LoadedAdapter, optionalMembers, type ToThread } from './contract.js'
import { adapterThread as limits } from './limits.js'
import { openSurroundings } from './surroundings.js'

type Call = Extract<ToThread, { readonly kind: 'call' }>

const port = parentPort!
const post = (message: FromThread) => port.postMessage(message)
const current = new AsyncLocalStorage<Call>()
const lines = new Map<number, Line>()
const surroundings = openSurroundings(post, (line) => lines.get(line))
let adapters: readonly Adapter[] = []

let lineCount = 0
setInterval(() => {
  lineCount = 0
}, 1_000).unref()

function writeLog(fields: Readonly<Record<string, string>>): void {
  lineCount++
  if (lineCount <= limits.logLinesPerSecond) post({ kind: 'log', fields })
}

/** Text of an error outside of any call may hold a secret that is not known here, so only its name is logged. */
function reportUnhandled(doing: string, error: unknown): void {
  const call = current.getStore()
  const name = error instanceof Error ? error.name : typeof error
  if (!call) return writeLog({ doing, problem: name })
  const { channel, provider, form } = adapters[call.adapter]!.descriptor
  const auth = call.given?.auth ?? (call.member === 'receive' ? call.args[1] : undefined)
  const text = scrubbed(error instanceof Error ? error.message : String(error), secretsIn(form.credentials, auth))
  const bindingId = call.given?.bindingId
  writeLog({ channel, provider, ...(bindingId && { bindingId }), doing: `${call.member}: ${doing}`, problem: text })
}

process.on('unhandledRejection', (error) => reportUnhandled('a rejection without a handler', error))
process.on('uncaughtException', (error) => {
  reportUnhandled('an exception without a handler', error)
  process.exit(1)
})

async function load(file: string): Promise<void> {
  try {
    const given = adaptersIn((await import(pathToFileURL(file).href)) as Record<string, unknown>)
    const wrong =
      given.length === 0
        ? 'gives no adapter, neither as its default export nor as `adapters`'
        : given.map(wrongAdapter).find((problem) => problem !== undefined)
    if (wrong) return post({ kind: 'unusable', problem: wrong })
    const log = { error: (_event: string, fields: Readonly<Record<string, string>>) => writeLog(fields) }
    adapters = (given as readonly Adapter[]).map((each) => guarded(each, log))
    post({ kind: 'loaded', adapters: adapters.map(describe) })
  } catch (error) {
    const problem = `cannot be loaded: ${(error as Error)?.message ?? 'it threw no error'}`
    post({ kind: 'unusable', problem })
  }
}

function describe(adapter: Adapter): LoadedAdapter {
  return { descriptor: adapter.descriptor, members: optionalMembers.filter((name) => adapter[name] !== undefined) }
}

async function perform(call: Call): Promise<void> {
  const { id, adapter: at, member, args, given } = call
  const adapter = adapters[at]!
  try {
    const around = given ? [surroundings.open(id, given)] : []
    const work = adapter[member] as (...args: unknown[]) => unknown
    const data = member === 'receive' ? [withHeader(args[0]), ...args.slice(1)] : args
    const result = work(...data, ...around)
    if (member === 'connect') return void lines.set(id, result as Line)
    const answer = await result
    surroundings.close(id)
    const traits = traitsIn(adapter, answer)
    post({ kind: 'done', id, answer, ...(traits.length > 0 && { traits }) })
  } catch (error) {
    surroundings.close(id)
    post({ kind: 'failed', id, problem: (error as Error)?.message ?? 'it threw no error' })
  }
}

/** Headers travel as data. */
function withHeader(request: unknown): unknown {
  const { headers, ...rest } = request as { readonly headers: Readonly<Record<string, string>> }
  return { ...rest, header: (name: string) => headers[name.toLowerCase()] ?? '' }
}

/** The node narrows messages without waiting, so each list of abilities comes with its traits. */
function traitsIn(adapter: Adapter, answer: unknown): KnownTraits {
  if (!adapter.traitsWith || typeof answer !== 'object' || answer === null) return []
  const { abilities, items = [] } = answer as {
    abilities?: readonly string[]
    items?: readonly { abilities?: readonly string[] }[]
  }
  const lists = [abilities, ...items.map((item) => item.abilities)].filter((list) => list !== undefined)
  const distinct = new Map(lists.map((list) => [JSON.stringify(list), list]))
  return [...distinct.values()].map((list) => [list, adapter.traitsWith!(list)] as const)
}

async function closeLine(id: number): Promise<void> {
  await lines.get(id)?.close()
  lines.delete(id)
  surroundings.close(id)
  post({ kind: 'done', id })
}

function beat(): void {
  const troubles = [...lines].flatMap(([id, line]) => {
    const trouble = line.trouble()
    return trouble === undefined ? [] : [[id, trouble] as const]
  })
  post({ kind: 'beat', externalBytes: getHeapStatistics().external_memory, troubles })
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'call') void current.run(message, () => perform(message))
  else if (message.kind === 'abort') surroundings.abort(message.id)
  else if (message.kind === 'closeLine') void closeLine(message.id)
  else if (message.kind === 'back') surroundings.settle(message)
  else beat()
})

confine()
await load((workerData as { readonly file: string }).file)
