/** `parley` on the command line, as a process of its own against real nodes: what it prints, where, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WriteStream } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { scopes } from '../../core/access.js'
import { invalid, refuse } from '../../core/errors.js'
import { commandLine } from '../../core/limits/index.js'
import { formatTable } from '../../runtime/cli/columns.js'
import { run } from '../../runtime/cli/program.js'
import { shards } from '../../runtime/cli/shards.js'
import { shardLines } from '../../runtime/cli/shardtable.js'
import { createTerminal, type OutputStream } from '../../runtime/cli/terminal.js'
import { systemClock } from '../../runtime/clock.js'
import { readConfig } from '../../runtime/config/config.js'
import { prepareUws } from '../../runtime/http/binary.js'
import { runNode } from '../../runtime/node/listen.js'
import type { ShardList } from '../../runtime/node/system.js'
import { createLog } from '../../runtime/observe/log.js'
import { anyText } from '../harness/arbitraries.js'
import { waitUntil } from '../harness/clock.js'
import { freePort } from '../harness/ports.js'
import { startNode, testKey } from '../harness/process.js'
import { answer, hang, openReceiver } from '../harness/receiver.js'
import { type ShardMap, shardMap } from '../harness/shardmap.js'

// Dozens of processes start here, on a machine that may be busy.
t.setTimeout(200_000)
prepareUws(false)

const main = fileURLToPath(new URL('../../runtime/cli/main.js', import.meta.url))
const exitCode = { done: 0, failed: 1, wrongUsage: 4, brokenPipe: 141 }

interface Printed {
  stdout: string
  stderr: string
}

interface Ended extends Printed {
  readonly code: number | null
  readonly signal: string | null
}

type Case = [args: readonly string[], env: Record<string, string>, code: number, says: RegExp]

function spawnParley(args: readonly string[], env: Record<string, string>): { child: ChildProcess; printed: Printed } {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|TAP|NO_COLOR$|FORCE_COLOR$)/.test(name))
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...Object.fromEntries(inherited), NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout?.on('data', (piece) => (printed.stdout += piece))
  child.stderr?.on('data', (piece) => (printed.stderr += piece))
  return { child, printed }
}

async function parley(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { child, printed } = spawnParley(args, env)
  const [code, signal] = await once(child, 'close')
  return { code, signal, ...printed }
}

/** A screen of a terminal, with the platform's own judgement of colours. */
function screen(env: Record<string, string>, rows = 24): OutputStream & { text(): string } {
  let text = ''
  const { prototype } = WriteStream
  return {
    isTTY: true,
    rows,
    write: (piece: string) => (text += piece),
    hasColors: () => prototype.hasColors.call(prototype, 16, env),
    text: () => text,
  }
}

async function withoutProcess(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const [stdout, stderr] = [screen({}), screen({})]
  const code = await run(args, { env, stdout: { write: stdout.write }, stderr }, [shards])
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

/** A command that goes on until the test ends it. */
function startParley(t: Test, args: readonly string[], env: Record<string, string>) {
  const { child, printed } = spawnParley(args, env)
  const closed = once(child, 'close')
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await closed
  })
  return {
    child,
    printed,
    async ended(): Promise<Ended> {
      const [code, signal] = await closed
      return { code, signal, ...printed }
    },
  }
}

function scratch(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A real node on its sockets whose engine says what the map says. */
async function nodeWith(t: Test, map: ShardMap): Promise<Record<string, string>> {
  const read = readConfig({
    PARLEY_DATA_DIR: scratch(t),
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_MGMT_PORT: '0',
    PARLEY_SHARDS: String(map.status.length),
    PARLEY_BOOTSTRAP_KEY: testKey,
  })
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const { log } = createLog({ destination: { write: () => {} } })
  const running = await runNode(read.config, { clock: systemClock, log, wrapShards: map.between })
  t.teardown(() => running.stop())
  return { PARLEY_URL: running.urls.mgmt, PARLEY_KEY: testKey }
}

// A shell in which the command line is used may start a node as well.
const node = await startNode({ PARLEY_SHARDS: '3', PARLEY_URL: 'http://elsewhere', PARLEY_KEY: 'anything' })
t.teardown(() => node.clean())

t.test('parley shards prints nodes and shard owners, and JSON for programs', async (t) => {
  const env = { PARLEY_URL: node.mgmt, PARLEY_KEY: testKey }
  const people = await parley(['shards'], env)
  t.equal(people.code, exitCode.done)
  t.equal(people.stderr, '')
  const lines = people.stdout.split('\n')
  t.match(lines[0], /^NODE +ADDRESS +OWNS +COPIES +STATE +ROLES$/)
  t.match(lines[1], /^embedded +\S+ +3 +0 +up +gateway mgmt shards$/)
  t.equal(lines[2], '')
  t.match(lines[3], /^SHARD +OWNER +EPOCH +LAST COMMIT +PINNED +COPIES$/)
  for (const shard of [0, 1, 2]) t.match(lines[4 + shard], new RegExp(`^ +${shard} +embedded +1 +\\d+ +- +-$`))
  t.same(lines.slice(7), [''], 'no more lines')
  t.notMatch(people.stdout, '\u001b', 'no colours without a terminal')

  const programs = await parley(['shards', '--json'], env)
  t.equal(programs.code, exitCode.done)
  t.equal(programs.stderr, '')
  const { data, nodes } = JSON.parse(programs.stdout)
  t.equal(data.length, 3)
  t.match(data[2], { shard: 2, owner: 'embedded', epoch: 1 })
  t.match(nodes, [{ id: 'embedded', keepsShards: true }])
})

t.test('The node and the key come from flags, then from variables, then from the defaults of a node', async (t) => {
  const file = join(scratch(t), 'key')
  writeFileSync(file, `${testKey}\n`)
  const wrong = { PARLEY_URL: 'http://127.0.0.1:9', PARLEY_KEY: 'sk-svc-wrong' }
  const ways: [readonly string[], Record<string, string>][] = [
    [['shards', '--url', node.mgmt, '--key-file', file], wrong],
    [['--url', node.mgmt, '--key-file', file, 'shards'], wrong],
    [['shards'], { PARLEY_URL: `${node.mgmt}/v1`, PARLEY_KEY: testKey }],
    [['shards'], { PARLEY_URL: `${node.mgmt}/`, PARLEY_KEY: testKey }],
  ]
  for (const [args, env] of ways) {
    const { code, stderr } = await withoutProcess(args, env)
    t.equal(code, exitCode.done, `${args.join(' ')} ${stderr}`)
  }
  const help = await withoutProcess(['shards', '--help'])
  t.match(help.stdout, 'http://127.0.0.1:8081', 'the default address of a node')
})

t.test('A failure prints one sentence on stderr, nothing on stdout, and an exit code that classifies it', async (t) => {
  const receiver = await openReceiver(t)
  receiver.setBehavior('/hang/v1/system/shards', hang)
  receiver.setBehavior('/page/v1/system/shards', (response) => void response.end('<html>Welcome</html>'))
  receiver.setBehavior('/gone/v1/system/shards', (response) => void response.socket?.destroy())
  receiver.setBehavior('/broken/v1/system/shards', answer(500))
  receiver.setBehavior(
    '/away/v1/system/shards',
    (response) => void response.writeHead(307, { location: receiver.url('/v1/system/shards') }).end(),
  )
  const unreachable = `http://127.0.0.1:${await freePort()}`
  const made = await fetch(`${node.mgmt}/v1/orgs/demo/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'not a sysop', scopes }),
  })
  const { key: plainKey } = (await made.json()) as { key: string }
  const dir = scratch(t)
  writeFileSync(join(dir, 'two lines'), 'sk-svc-a\nsk-svc-b')

  const env = { PARLEY_URL: node.mgmt, PARLEY_KEY: testKey }
  const at = (url: string) => ({ ...env, PARLEY_URL: url })
  const { failed, wrongUsage } = exitCode
  const cases: Case[] = [
    [
      ['shards'],
      at(unreachable),
      failed,
      /^Nobody answers at \S+ \(ECONNREFUSED\)\. Start the node, or .*--url or PARLEY_URL/,
    ],
    [['shards'], at(receiver.url('/hang')), failed, /did not answer within 10 seconds\.$/m],
    [['shards'], at(receiver.url('/page')), failed, /with 200\) is not a management API of Parley\.$/m],
    [['shards'], at(receiver.url('/broken')), failed, /with 500\) is not a management API of Parley\.$/m],
    [['shards'], at(receiver.url('/away')), failed, /with 307\) is not a management API of Parley\.$/m],
    [['shards'], at(receiver.url('/gone')), failed, /^Nobody answers at \S+ \(other side closed\)/],
    [['shards'], at(node.gateway), failed, /with 404\) is not a management API of Parley\.$/m],
    [['shards'], { ...env, PARLEY_KEY: 'sk-svc-wrong' }, failed, /does not accept the key/],
    [['shards'], { ...env, PARLEY_KEY: plainKey }, failed, /^The key is not a system operator’s.*bootstrap key/],
    [['shards', 'move', '9', 'n2'], env, failed, /refused: There is no shard 9\.$/m],
    [['shards', 'move', '1', 'n2'], env, failed, /one process only, .*\. Nodes that keep shards: embedded\.$/m],
    [['shards'], { PARLEY_URL: node.mgmt }, wrongUsage, /^There is no API key\. Set PARLEY_KEY, or .*--key-file\.$/m],
    [['shards'], { ...env, PARLEY_KEY: 'sk svc' }, wrongUsage, /^PARLEY_KEY does not hold a key/],
    [['shards', '--key-file', join(dir, 'two lines')], env, wrongUsage, /two lines does not hold a key/],
    [['shards', '--key-file', join(dir, 'none')], env, wrongUsage, /^The key file cannot be read: ENOENT/],
    [['shards', '--url', 'ftp://x'], env, wrongUsage, /^"ftp:\/\/x" is no place of a node\. It wants an http/],
    [['shards', '--url', 'http://me:hidden@x'], env, wrongUsage, /^"…@x" is no place of a node/],
    [['shards', '--key', testKey], env, wrongUsage, /unknown option '--key'/],
    [['shards', 'move', 'three', 'n2'], env, wrongUsage, /'three' is invalid.*It wants a whole number/],
    [['shards', 'move', '3'], env, wrongUsage, /missing required argument 'node'/],
    [['shards', 'move', '3', 'n2', '--wait', '-1'], env, wrongUsage, /It wants a whole number/],
    [['shrads'], env, wrongUsage, /Did you mean shards\?/],
    [['shards', 'mvoe'], env, wrongUsage, /too many arguments/],
    [[], env, wrongUsage, /Usage: parley/],
  ]
  async function checkCase([args, caseEnv, code, message]: Case, how: typeof parley): Promise<void> {
    const ended = await how(args, caseEnv)
    const title = `parley ${args.join(' ')} ${caseEnv.PARLEY_URL}`
    t.equal(ended.code, code, title)
    t.match(ended.stderr, message, title)
    t.equal(ended.stdout, '', title)
    for (const secret of [caseEnv.PARLEY_KEY ?? testKey, 'hidden', '\n    at ']) t.notMatch(ended.stderr, secret, title)
  }
  await Promise.all(cases.map((each) => checkCase(each, withoutProcess)))
  // A process of its own costs a second on a busy machine, and all it adds is how it ends.
  for (const each of [cases[0]!, cases.at(-1)!]) await checkCase(each, parley)
  t.equal(receiver.at('/v1/system/shards').length, 0, 'a redirect does not carry the key away')

  for (const args of [['--help'], ['help', 'shards'], ['shards', 'move', '--help'], ['--version']]) {
    const { code, stdout, stderr } = await parley(args)
    t.equal(code, exitCode.done, `parley ${args.join(' ')} needs neither node nor key`)
    t.not(stdout, '')
    t.equal(stderr, '')
  }
})

t.test('A move waits until the shard has moved, and reports a timeout', async (t) => {
  const map = shardMap(4)
  const env = await nodeWith(t, map)
  map.moved = (shard, node) => {
    map.status[shard] = { ...map.status[shard]!, owner: undefined, pinned: node }
    setTimeout(() => {
      map.status[shard] = { ...map.status[shard]!, owner: node ?? 'n3', epoch: 2 }
    }, commandLine.movePollMs * 2)
  }
  const moved = await parley(['shards', 'move', '2', 'n2'], env)
  t.equal(moved.code, exitCode.done)
  t.match(moved.stdout.split('\n')[1], /^ +2 +n2 +2 +10 +n2 +n1, n3$/)
  t.equal(moved.stderr, 'Shard 2 is wanted on n2. Waiting until it is there.\n')
  const movedAgain = await parley(['shards', 'move', '3', 'n2', '--json'], env)
  t.equal(movedAgain.code, exitCode.done)
  t.match(JSON.parse(movedAgain.stdout), { shard: 3, owner: 'n2', pinned: 'n2' })
  const named = await parley(['shards', 'move', '1', 'host-3:8081', '--json'], env)
  t.equal(named.code, exitCode.done, named.stderr)
  t.match(JSON.parse(named.stdout), { shard: 1, owner: 'n3', pinned: 'n3' })

  map.moved = (shard, node) => {
    map.status[shard] = { ...map.status[shard]!, pinned: node }
  }
  const late = await parley(['shards', 'move', '0', 'n3', '--wait', '1'], env)
  t.equal(late.code, exitCode.failed)
  t.match(late.stderr, /Shard 0 is still on n1 after 1 seconds\. It stays wanted on n3\.$/m)
  t.match(late.stdout, /n1/, 'the current owner is printed nevertheless')
  const unawaited = await parley(['shards', 'move', '0', 'n2', '--wait', '0'], env)
  t.equal(unawaited.code, exitCode.done)
  t.equal(unawaited.stderr, '')

  const released = await parley(['shards', 'release', '0', '--json'], env)
  t.equal(released.code, exitCode.done)
  t.notOk('pinned' in JSON.parse(released.stdout))
  t.same(map.moves, [
    [2, 'n2'],
    [3, 'n2'],
    [1, 'n3'],
    [0, 'n3'],
    [0, 'n2'],
    [0, undefined],
  ])

  map.refusal = invalid('node', 'no such node is there that keeps shards')
  map.nodes[2] = { ...map.nodes[2]!, keepsShards: false }
  const mistyped = await withoutProcess(['shards', 'move', '0', 'n22'], env)
  t.equal(mistyped.code, exitCode.failed)
  t.match(
    mistyped.stderr,
    /no such node is there that keeps shards\. Nodes that keep shards: n1 \(host-1:8081\), n2 \(host-2:8081\)\.$/m,
  )
  map.refusal = refuse('service.unavailable')
  const away = await withoutProcess(['shards', 'release', '0'], env)
  t.equal(away.code, exitCode.failed)
  t.match(away.stderr, /could not do it: Not available just now\. \S+\/readyz says what is missing\.$/m)
})

t.test('--watch repeats until it is interrupted, through a restart of the node', async (t) => {
  const port = { PARLEY_MGMT_PORT: String(await freePort()), PARLEY_SHARDS: '1' }
  let watched = await startNode(port)
  t.teardown(() => watched.clean())
  const env = { PARLEY_URL: watched.mgmt, PARLEY_KEY: testKey }
  const people = startParley(t, ['shards', '--watch'], env)
  const programs = startParley(t, ['shards', '--watch', '--json'], env)
  const countTables = () => people.printed.stdout.split('NODE ').length - 1
  const lines = () => programs.printed.stdout.split('\n').length - 1
  await waitUntil(() => countTables() >= 2 && lines() >= 2)
  await watched.end('SIGKILL')
  await waitUntil(() => /Nobody answers/.test(people.printed.stderr) && /Nobody answers/.test(programs.printed.stderr))
  watched = await startNode(port, watched.dir)
  const [before, linesBefore] = [countTables(), lines()]
  await waitUntil(() => countTables() > before && lines() > linesBefore)
  for (const { child } of [people, programs]) child.kill('SIGINT')
  for (const ended of [await people.ended(), await programs.ended()]) {
    t.same([ended.code, ended.signal], [null, 'SIGINT'], 'which a shell reports as 130')
    t.notMatch(ended.stdout, '\u001b', 'without a terminal the screen is not cleared')
  }
  const parsed = programs.printed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.ok(
    parsed.every(({ data }) => data.length === 1),
    'a line of JSON each time',
  )

  const pipe = startParley(t, ['shards', '--watch'], env)
  await waitUntil(() => pipe.printed.stdout !== '')
  pipe.child.stdout?.destroy()
  t.same((await pipe.ended()).code, exitCode.brokenPipe, 'without a reader it ends as with a broken pipe')
  const lost = await parley(['shards', '--watch'], { ...env, PARLEY_URL: `http://127.0.0.1:${await freePort()}` })
  t.equal(lost.code, exitCode.failed, 'a node that was never there is not watched')
})

const list: ShardList = {
  data: [
    { shard: 0, owner: 'n1', epoch: 3, last: 120, copies: { n1: 120, n2: 120, n3: 108 } },
    { shard: 1, epoch: 9, last: 7, copies: { n2: 7 }, pinned: 'n3' },
    { shard: 2, owner: 'n2', epoch: 1, last: 0, copies: {}, pinned: 'n2' },
  ],
  nodes: [
    {
      id: 'n1',
      host: 'east',
      address: 'east:81',
      roles: ['gateway', 'mgmt', 'shards'],
      keepsShards: true,
      leaving: false,
    },
    { id: 'n2', host: 'east', address: 'east:82', roles: ['shards'], keepsShards: true, leaving: true },
    { id: 'n3', roles: ['shards'], keepsShards: false, leaving: false },
    { id: 'asks-1', host: 'east', roles: ['mgmt'], keepsShards: false, leaving: false },
  ],
}

t.test('Problems stand out for the operator, in words always and in colour on a terminal', async (t) => {
  const words = shardLines(list, (text) => text)
  t.strictSame(words, [
    'NODE    ADDRESS  OWNS  COPIES  STATE         ROLES',
    'n1      east:81     1       0  up            gateway mgmt shards',
    'n2      east:82     1       2  leaving       shards',
    'n3      -           0       1  cannot write  shards',
    'asks-1  east        0       0  up            mgmt',
    '',
    'SHARD  OWNER   EPOCH  LAST COMMIT  PINNED  COPIES',
    '    0  n1          3          120  -       n2, n3 (12 behind)',
    '    1  (none)      9            7  n3      n2',
    '    2  n2          1            0  n2      -',
  ])
  const coloured = createTerminal(screen({ TERM: 'xterm-256color' }), screen({}))
  const painted = shardLines(list, coloured.paint)
  t.strictSame(painted.map(stripVTControlCharacters), words, 'colour changes no text and no position')
  const red = '\u001b[31m'
  const yellow = '\u001b[33m'
  t.match(painted[8], `${red}(none)`)
  t.match(painted[8], `${yellow}n3`, 'pinned where it is not')
  t.match(painted[7], `${yellow}n2, n3 (12 behind)`)
  t.match(painted[2], `${yellow}leaving`)
  t.match(painted[3], `${red}cannot write`)
  const without: Record<string, string>[] = [{ TERM: 'xterm-256color', NO_COLOR: '1' }, { TERM: 'dumb' }]
  for (const env of without) {
    t.strictSame(shardLines(list, createTerminal(screen(env), screen({})).paint), words, JSON.stringify(env))
  }
})

t.test('A redraw replaces the previous output and is cut to the screen', async (t) => {
  const stdout = screen({ NO_COLOR: '1' }, 4)
  const { draw } = createTerminal(stdout, screen({}))
  draw(['a', 'b', 'c'])
  t.equal(stdout.text(), '\u001b[H\u001b[J\u001b[?7la\nb\nc\n\u001b[?7h')
  draw(['a', 'b', 'c', 'd', 'e'])
  t.match(stdout.text(), 'a\nb\n… and 3 more lines\n\u001b[?7h')
})

t.test('Columns are aligned for any cells, and no cell controls the terminal', async (t) => {
  const row = fc.tuple(fc.string(), anyText(), fc.integer())
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const columns = [
        { head: 'ONE', cell: ([one]: [string, string, number]) => one },
        { head: 'TWO', isNumber: true, cell: ([, , two]: [string, string, number]) => two } as const,
        { head: 'THREE', cell: ([, three]: [string, string, number]) => ({ text: three }) },
      ]
      const lines = formatTable(columns, rows, (text) => text)
      if (lines.length !== rows.length + 1 || lines.some((line) => /\p{Cc}/u.test(line))) return false
      const start = lines[0]!.indexOf('THREE')
      return rows.every((each, at) => {
        const line = lines[at + 1]!
        const expected = each.map((cell) => String(cell).replace(/\p{Cc}/gu, '?') || '-')
        return (
          line.startsWith(expected[0]!) &&
          line.slice(0, start).endsWith(`${expected[2]}  `) &&
          line.slice(start) === expected[1]
        )
      })
    }),
  )
  t.pass('for any rows')
})

t.test('An unexpected failure is reported as a bug of the command itself', async (t) => {
  const stderr = screen({})
  const context = { env: {}, stdout: screen({}), stderr }
  const broken = await run(['break'], context, [
    (program) =>
      void program.command('break').action(() => {
        throw new TypeError('not a function')
      }),
  ])
  t.equal(broken, 3)
  t.match(stderr.text(), /^This is a bug of parley itself\. TypeError: not a function\n +at /)
})
