/** The bench as a tool: its table of scenarios, its command line, its load and its reports. No speed is asserted. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { programFile } from '../bench/harness/children.js'
import { parseHead } from '../bench/harness/load/frame.js'
import { generate } from '../bench/harness/load/generator.js'
import { closedLoop } from '../bench/harness/loop.js'
import { evaluateRatio, spread } from '../bench/harness/metrics.js'
import { type CandidateResult, type Outcome, remarksFor, run } from '../bench/harness/run.js'
import type { Sample } from '../bench/harness/sample.js'
import { scenarios } from '../bench/harness/scenarios.js'
import { describeRatio } from '../bench/harness/table.js'
import { sleep } from '../bench/scenarios/messages/phones.js'

/** How many processes a run of these has: its candidates, and those that candidates have of their own. */
const processesOf: Readonly<Record<string, number>> = { http: 4, cluster: 8, roundtrip: 5 }

const main = fileURLToPath(new URL('../bench/harness/main.js', import.meta.url))

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function bench(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = start(args)
  const written = { out: '', err: '' }
  child.stdout!.on('data', (text) => {
    written.out += text
  })
  child.stderr!.on('data', (text) => {
    written.err += text
  })
  const [code] = await once(child, 'close')
  return { code, ...written }
}

const sample = (rate: number, more: Partial<Sample> = {}): Sample => ({
  operations: rate,
  seconds: 1,
  failures: {},
  bytes: 0,
  latencyMs: [[99, 1]],
  cpuMicros: 990_000,
  ...more,
})

t.test('Every scenario begins with its limit and compares only candidates that it has', async (t) => {
  const names = scenarios.map(({ name }) => name)
  t.equal(new Set(names).size, names.length, 'scenario names are used once')
  for (const { name, purpose, candidates, ratios } of scenarios) {
    const candidateNames = candidates.map((candidate) => candidate.name)
    t.match(purpose, /^[A-Z].*\.$/, `${name} has a sentence of purpose`)
    t.equal(candidates[0]?.role, 'limit', `${name} measures its limit first`)
    t.equal(new Set(candidateNames).size, candidateNames.length, `${name} names each candidate once`)
    t.ok(
      ratios.some(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined),
      `${name} has a floor`,
    )
    for (const { of, over } of ratios)
      t.ok(candidateNames.includes(of) && candidateNames.includes(over), `${name}: ${of} / ${over}`)
    for (const { program } of candidates) t.ok(existsSync(programFile(program)), `${program} is there to be started`)
  }
})

t.test('--list names every scenario with its sentence, and an unknown name is refused', async (t) => {
  const { out, code } = await bench('--list')
  t.equal(code, 0)
  for (const { name, purpose } of scenarios) t.ok(out.includes(`${name} `) && out.includes(purpose), name)
  const refused = await bench('htpp')
  t.equal(refused.code, 2)
  t.match(refused.err, /no scenario "htpp"/)
  t.equal((await bench('http', '--seconds', '0')).code, 2)
  t.equal((await bench('actors', '--operations', '0.5')).code, 2)
})

t.test('A ratio is taken within each round, and its median is held against the floor', async (t) => {
  const rounds = new Map([
    ['limit', [100, 50, 100].map((rate) => sample(rate))],
    ['ours', [60, 30, 20].map((rate) => sample(rate))],
  ])
  const ratio = { metric: 'rate', of: 'ours', over: 'limit' } as const
  const evaluated = evaluateRatio({ ...ratio, atLeast: 0.55 }, rounds)
  t.same(evaluated.perRound, [0.6, 0.6, 0.2])
  t.equal(evaluated.median, 0.6)
  t.equal(evaluated.holds, true)
  t.equal(evaluateRatio({ ...ratio, atLeast: 0.61 }, rounds).holds, false)
  t.equal(evaluateRatio({ ...ratio, atMost: 0.59 }, rounds).holds, false)
  t.equal(evaluateRatio(ratio, rounds).holds, undefined, 'a ratio without a bound is only reported')
  t.equal(evaluateRatio({ ...ratio, atLeast: 0.1 }, new Map()).holds, false, 'a missing measurement passes no floor')
  t.same(spread([4, 1, 3, 2]), { median: 2.5, low: 1, high: 4 })
})

t.test('A ratio may set two metrics of one candidate against each other', async (t) => {
  const latencies = [
    sample(10, {
      latencyMs: [
        [50, 2],
        [99, 10],
      ],
    }),
    sample(10, {
      latencyMs: [
        [50, 1],
        [99, 4],
      ],
    }),
  ]
  const memory = [1, 5, 10].map((operations) => ({ operations, usedBytes: operations * 100, residentBytes: 0 }))
  const rounds = new Map([
    ['ours', latencies],
    ['memory', [sample(10, { memory })]],
  ])
  const tail = evaluateRatio({ metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours', atMost: 10 }, rounds)
  t.same(tail.perRound, [5, 4])
  t.equal(tail.holds, true)
  t.equal(describeRatio(tail), 'p99 latency of ours / p50 latency of ours')
  const growth = evaluateRatio(
    { metric: 'memoryAtEnd', of: 'memory', overMetric: 'memoryHalfway', over: 'memory', atMost: 1.1 },
    rounds,
  )
  t.same(growth.perRound, [2])
  t.equal(growth.holds, false)
  const unread = evaluateRatio({ ...growth, of: 'ours', over: 'ours' }, rounds)
  t.equal(unread.holds, false, 'an unread memory figure passes no floor')
})

/** Processes that this one started and that stand still. */
function countStopped(): number {
  const states = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(pid).split(' '))
  return states.filter(([state, parent]) => state === 'T' && parent === String(process.pid)).length
}

/** What stands behind the name of a process; nothing of one that has ended meanwhile. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
  } catch {
    return ''
  }
}

t.test('While one candidate is measured, the others stand still where the scenario says so', async (t) => {
  const still: number[] = []
  const waitForStopped = (expected: number) => async () => {
    // A process is stopped a moment after it is told to.
    for (let tries = 0; tries < 200 && countStopped() !== expected; tries++) await sleep(20)
    still.push(countStopped())
    return sample(1)
  }
  const http = scenarios.find(({ name }) => name === 'http')!
  const settings = { seconds: 1, rounds: 2, concurrency: 1 }
  for (const pausesOthers of [true, undefined] as const) {
    const load = waitForStopped(pausesOthers ? 1 : 0)
    const candidates = http.candidates.slice(0, 2).map((candidate) => ({ ...candidate, load }))
    await run({ ...http, candidates, ratios: [], pausesOthers }, settings, () => {})
  }
  t.same(still, [1, 1, 1, 1, 0, 0, 0, 0])
  t.equal(countStopped(), 0, 'no process is left stopped')
})

t.test('The report remarks on failures and on a load at its own limit', async (t) => {
  t.same(remarksFor([sample(10, { loadCores: 0.5 })]), [])
  t.same(remarksFor([sample(10, { loadCores: 0.97, cpuMicros: 600_000 })]), ['load-bound'])
  t.match(remarksFor([sample(10, { loadCores: 0.5, cpuMicros: 400_000 })]), [/neither/])
  t.same(remarksFor([sample(10, { failures: { 'status 401': 3 } })]), ['status 401 × 3'])
})

t.test('A response is framed by its content-length in any spelling, and only once its head is complete', async (t) => {
  const head = 'HTTP/1.1 201 Created\r\nX-Length: 7\r\nCONTENT-Length:  12\r\n\r\n'
  const bytes = Buffer.from(`${head}hello, world`)
  t.same(parseHead(bytes, bytes.length), { status: 201, headBytes: head.length, bodyBytes: 12 })
  t.equal(parseHead(bytes, head.length - 1), undefined)
  const empty = Buffer.from('HTTP/1.1 204 No Content\r\n\r\nContent-Length: 9')
  t.same(parseHead(empty, empty.length), { status: 204, headBytes: 27, bodyBytes: 0 })
})

t.test('The load parses responses in pieces and distinguishes refusals from lost connections', async (t) => {
  // A machine that stands still for the whole window measures again; a load that counts no pieces never ends this.
  let measured = await measureInPieces()
  while (measured.operations <= 2) measured = await measureInPieces()
  t.same(measured.failures, { 'status 401': 1, 'connection closed': 1 })
})

/** Of a server that refuses the first request, ends its connection, and answers all others in pieces. */
async function measureInPieces(): Promise<Sample> {
  const pieces = ['HTTP/1.1 200 OK\r\nconte', 'nt-length: 4\r\n\r\nab', 'cd']
  let answers = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', async () => {
      if (++answers === 1) return socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
      for (const piece of pieces) {
        socket.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = { method: 'POST', path: '/', headers: {}, body: '{}' }
  const window = { warmSeconds: 0, seconds: 0.5, concurrency: 1 }
  const { port } = server.address() as AddressInfo
  const measured = await generate(port, request, window, async () => {})
  server.close()
  return measured
}

t.test('A window lasts until at least one response came, so a stalled machine is not measured as zero', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      setTimeout(() => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 300)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const window = { warmSeconds: 0, seconds: 0.02, concurrency: 1 }
  const { port } = server.address() as AddressInfo
  const measured = await generate(port, { method: 'GET', path: '/', headers: {}, body: '' }, window, async () => {})
  server.close()
  t.equal(measured.operations, 1)
  t.ok(measured.seconds > window.seconds, 'the actual duration counts')
  const loop = closedLoop(() => new Promise((resolve) => setTimeout(resolve, 300)))
  t.equal((await loop(window)).operations, 1)
})

/** Whole installations or large agents: they take longer than all the others to run. */
const takesMinutes = [
  'campaign',
  'campaign-paced',
  'campaign-stage',
  'config',
  'journey',
  'journey-budget',
  'journey-cluster',
  'webchat',
]

t.test('A short run of every quick scenario prints its tables and writes a self-contained report', async (t) => {
  const folder = t.testdir()
  const json = join(folder, 'measured.json')
  const settings = [
    '--seconds',
    '0.2',
    '--rounds',
    '1',
    '--connections',
    '8',
    '--operations',
    '100',
    '--filled',
    '200',
    '--no-floors',
  ]
  const names = scenarios.map(({ name }) => name).filter((name) => !takesMinutes.includes(name))
  // The last stands twice, and is measured once.
  const { code, out, err } = await bench(...names, names.at(-1)!, ...settings, '--reports', folder, '--json', json)
  t.equal(code, 0, 'it ran', { err })
  const outcomes: Outcome[] = JSON.parse(readFileSync(json, 'utf8'))
  for (const { name, purpose, candidates, ratios, missing } of scenarios) {
    if (takesMinutes.includes(name)) continue
    const measured = outcomes.find(({ scenario }) => scenario.name === name)
    if (!measured) {
      t.ok(missing?.(), `only what cannot run here is left out: ${name}`)
      continue
    }
    const [, printed = ''] = out.split(purpose)
    for (const [at, candidate] of candidates.entries()) {
      t.ok(printed.includes(`│ ${candidate.name} `), `${name}: the table has ${candidate.name}`)
      const firstSample = measured.candidates[at]?.samples[0]
      t.ok(
        firstSample && firstSample.operations > 0 && firstSample.cpuMicros > 0,
        `${name}: ${candidate.name} was measured`,
        { taken: firstSample },
      )
      t.same(firstSample?.failures, {}, `${name}: ${candidate.name} answered everything`)
    }
    t.equal(measured.ratios.length, ratios.length)
    const page = readFileSync(join(folder, `latest-${name}.html`), 'utf8')
    const hasTime = measured.candidates.some(({ samples }) => samples.some(({ timeline }) => timeline?.length))
    t.equal(
      page.match(/<svg /g)?.length,
      hasTime ? 7 : 4,
      'the plots are in the page itself, over time where it was watched',
    )
    t.notMatch(page, /<script|<link|<img|<iframe|(href|src)=|url\(/i)
    const files = readdirSync(folder).filter(
      (file) => file.replace(/^(latest|\d{4}-\d{2}-\d{2}T\d{6})-/, '') === `${name}.html`,
    )
    t.equal(files.length, 2, 'the report is there under its time and as the latest')
    if (name === 'actors') actorsWereSeen(t, measured.candidates)
    t.equal(page.includes('held MB'), name === 'actors', 'a column without figures is left out')
  }
})

/** What is counted exactly may be asserted: how many actors were touched, and what one that is cold reads. */
function actorsWereSeen(t: Test, measured: readonly CandidateResult[]): void {
  for (const { candidate, samples, notes } of measured) {
    const [firstSample] = samples
    t.equal(firstSample?.operations, 100, 'all requested actors were touched')
    t.same(
      firstSample?.memory?.map(({ operations }) => operations),
      [10, 50, 100],
    )
    t.ok(
      firstSample?.memory?.every(
        ({ usedBytes: heapBytes, residentBytes }) => residentBytes > heapBytes && heapBytes > 1e6,
      ),
    )
    if (candidate.role === 'ours') t.match(notes, ['A command on a cold actor reads 1 record.'])
  }
}

for (const name of ['http', 'cluster', 'roundtrip']) {
  const missing = existsSync('/proc/self/environ')
    ? scenarios.find((each) => each.name === name)?.missing?.()
    : 'no /proc'
  const title = `A bench of ${name} that is interrupted leaves neither a process nor a file behind`
  t.test(title, { skip: missing ?? false }, async (t) => {
    const scratch = t.testdir()
    const child = start([name, '--rounds', '9'], { TMPDIR: scratch })
    const ended = once(child, 'exit')
    await until(() => childrenOf(scratch).length >= processesOf[name]! || child.exitCode !== null)
    child.kill('SIGINT')
    t.equal((await ended)[0], 130)
    await until(() => childrenOf(scratch).length === 0)
    t.same(readdirSync(scratch), [])
  })
}

/** Processes whose environment names the folder. */
function childrenOf(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`BENCH_SCRATCH=${folder}`)
    } catch {
      return false
    }
  })
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20))
}
