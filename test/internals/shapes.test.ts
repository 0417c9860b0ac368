/**
 * Hidden classes. In the V8 of Node 20 an object that gains a field behind a spread gets one of its own (decision 082):
 * no code that runs for every message may do that. A later V8 does not, and then this holds anyway.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const program = fileURLToPath(new URL('../bench/workloads.js', import.meta.url))
/** Setting up a node makes some 340 classes at one place of Node itself, so fewer people would find that place. */
const people = 600

/** How often each place in the code made a class that no other object can share, by the field that was gained there. */
async function singleClasses(log: string): Promise<{ all: number; single: Map<string, number> }> {
  const single = new Map<string, number>()
  let all = 0
  for await (const line of createInterface({ input: createReadStream(log) })) {
    // map,Transition,time,from,to,code,line,column,why,field
    const [kind, event, , , , , row, column, why, field] = line.split(',')
    // Parley names fields by texts, Node by symbols.
    const isOurs = field !== undefined && !field.startsWith('symbol(')
    if (kind !== 'map' || event !== 'Transition') continue
    all++
    if (why !== 'prototype' || !isOurs) continue
    const position = `${field} at ${row}:${column}`
    single.set(position, (single.get(position) ?? 0) + 1)
  }
  return { all, single }
}

for (const workload of ['messages', 'campaign', 'journey']) {
  t.test(`No step that ${workload} repeats for each person makes a hidden class of its own`, async (t) => {
    const scratch = t.testdir()
    const log = join(scratch, 'v8.log')
    const flags = ['--log-maps', `--logfile=${log}`, '--no-logfile-per-isolate']
    const child = spawn(process.execPath, [...flags, program, workload, String(people)], {
      env: { ...process.env, BENCH_SCRATCH: scratch },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    let printed = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
    const [code] = await once(child, 'exit')
    t.equal(code, 0, `the program came to its end: ${printed}`)
    const { all, single } = await singleClasses(log)
    t.ok(all > people, 'the log is one that we can read')
    const often = [...single].filter(([, count]) => count > people * 0.8)
    t.same(Object.fromEntries(often), {}, 'fields that were gained behind a spread, and how often')
  })
}
