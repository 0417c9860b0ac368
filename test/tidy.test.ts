/** Rules of the code that no compiler checks: imports, names, sizes, and routes in step with the contract. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { errorTable } from '../core/errors.js'
import { describeConfig } from '../runtime/config/config.js'
import { nodeFlags } from '../runtime/config/flags.js'
import { bannedInComments, bannedWords, wordsOf } from './bannedwords.js'
import { asRow, contractRows, nameOf, pendingRows } from './contract/routes.js'
import { openTestNode } from './harness/node.js'
import { cyclesOf } from './importcycles.js'
import { interfacesIn } from './interfaces.js'
import { sourcesNamedIn, withoutComments, withoutTexts } from './sourcetext.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const topFolders = ['core', 'adapters', 'runtime', 'mgmt', 'bench', 'test', 'ops']
const files = topFolders.flatMap((folder) => filesBelow(join(root, folder))).map((path) => relative(root, path))
const sources = files.filter((path) => /\.(tsx?|mts|js|mjs)$/.test(path))
const code = (path: string) => withoutComments(readFileSync(join(root, path), 'utf8'))

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (name === 'reports' || name === 'output' || name === 'node_modules') return []
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

interface Import {
  readonly from: string
  /** A path from the root for our own files, otherwise the package's name. */
  readonly to: string
}

const imports: Import[] = sources.flatMap((from) => {
  const text = readFileSync(join(root, from), 'utf8')
  const violations = text.matchAll(
    /^(?:import|export|\}) ?[^'"\n]*\bfrom ['"]([^'"\n]+)['"]$|\bimport\(\s*['"]([^'"\n]+)['"]/gm,
  )
  return [...violations].map((match) => {
    const target = match[1] ?? match[2] ?? ''
    const own = target.startsWith('.') ? sourceOf(normalize(join(dirname(from), target))) : undefined
    return { from, to: own ?? target.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1') }
  })
})

/** The source file of an import, which names the compiled file. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, '.ts')
  return existsSync(join(root, `${source}x`)) ? `${source}x` : source
}

const isOwn = ({ to }: Import) => topFolders.some((folder) => to.startsWith(`${folder}/`))
const folderOf = (path: string, depth = 1) => path.split('/').slice(0, depth).join('/')
/** Files of runtime that know adapters or mgmt, besides those in `runtime/node/`: they compose a node. */
const composition = [
  'runtime/emulator/emulator.ts',
  'runtime/emulator/index.ts',
  'runtime/emulator/samplebindings.ts',
  'runtime/emulator/samples.ts',
  'runtime/emulator/samplestart.ts',
  'runtime/partners/thread.ts',
]
const composes = (path: string) => composition.includes(path) || path.startsWith('runtime/node/')
/** Of these, the ones that know adapters alone. */
const knowsNoMgmt = ['runtime/emulator/emulator.ts', 'runtime/emulator/index.ts', 'runtime/partners/thread.ts']
/** The areas of mgmt in their order: an area may import those before it. */
const areas = [
  'orgs',
  'webhooks',
  'access',
  'audit',
  'catalogs',
  'agents',
  'gatewayaccess',
  'channels',
  'knowledge',
  'connections',
  'people',
  'sandbox',
  'outreach',
  'links',
  'journey',
  'automation',
  'campaigns',
  'tools',
  'calendar',
  'scheduling',
  'turns',
  'traffic',
]
const opened = ['http', 'shard', 'store', 'secrets', 'nats', 'ratelimit', 'observe'].map(
  (folder) => `runtime/${folder}`,
)
const pure = new Set([
  'typebox',
  'libphonenumber-js',
  'lru-cache',
  'chrono-node',
  'temporal-polyfill',
  'ical.js',
  'fast-xml-parser',
])

function brokenImports(rule: (each: Import) => boolean): string[] {
  return imports.filter(rule).map(({ from, to }) => `${from} imports ${to}`)
}

t.test('The import table holds', async (t) => {
  t.ok(imports.filter(isOwn).length > 200, 'the imports were found at all')
  const core = imports.filter(({ from }) => folderOf(from) === 'core')
  t.same(
    core.filter((each) => (isOwn(each) ? folderOf(each.to) !== 'core' : !pure.has(each.to))),
    [],
    'core is alone',
  )
  t.same(
    brokenImports((each) => folderOf(each.from) === 'adapters' && isOwn(each) && !adapterMay(each)),
    [],
    'an adapter knows core, the kit and itself',
  )
  t.same(
    brokenImports(({ from, to }) => folderOf(from) === 'runtime' && !composes(from) && /^(mgmt|adapters)\//.test(to)),
    [],
    'only the composition of a node knows mgmt and adapters',
  )
  t.same(
    brokenImports((each) => folderOf(each.from, 2) === 'runtime/observe' && isOwn(each) && !observeMay(each)),
    [],
    'observe knows core and itself: every part registers its own collectors',
  )
  t.same(
    brokenImports(({ from, to }) => knowsNoMgmt.includes(from) && folderOf(to) === 'mgmt'),
    [],
    'and of that only what puts the planes together knows mgmt',
  )
  t.same(
    brokenImports((each) => folderOf(each.from) === 'mgmt' && isOwn(each) && !mgmtMay(each)),
    [],
    'mgmt knows core, the interfaces of runtime, and each area those before it',
  )
  t.same(
    brokenImports(({ from, to }) => !/^(bench|test)\//.test(from) && /^(bench|test)\//.test(to)),
    [],
    'nothing imports bench or test',
  )
})

function adapterMay({ from, to }: Import): boolean {
  if (from === 'adapters/index.ts') return folderOf(to) === 'adapters' || folderOf(to) === 'core'
  return folderOf(to) === 'core' || folderOf(to, 2) === 'adapters/kit' || folderOf(to, 2) === folderOf(from, 2)
}

function observeMay({ to }: Import): boolean {
  return folderOf(to) === 'core' || folderOf(to, 2) === 'runtime/observe'
}

function mgmtMay({ from, to }: Import): boolean {
  if (folderOf(to) !== 'mgmt') {
    const isOpened =
      opened.includes(folderOf(to, 2)) || ['runtime/clock.ts', 'runtime/time.ts', 'runtime/slices.ts'].includes(to)
    return folderOf(to) === 'core' || isOpened
  }
  const [area, other] = [from, to].map(areaOf)
  if (area === undefined) return from !== 'mgmt/area.ts'
  return other === undefined ? to === 'mgmt/area.ts' : areas.indexOf(other) <= areas.indexOf(area)
}

/** Undefined for the files of the plane as a whole. */
function areaOf(path: string): string | undefined {
  const [, area, ...below] = path.split('/')
  return below.length > 0 ? area : undefined
}

t.test('Every folder of mgmt has a row in the order of areas', async (t) => {
  const own = imports.filter(({ from, to }) => folderOf(from) === 'mgmt' && folderOf(to) === 'mgmt')
  const violations = new Set(own.flatMap(({ from }) => areaOf(from) ?? []))
  t.same([...violations].sort(), areas.toSorted())
})

t.test('No module is part of an import cycle', async (t) => {
  const edges = ['a b', 'b c', 'c a', 'c d', 'e a'].map((edge) => ({ from: edge[0]!, to: edge[2]! }))
  t.same(cyclesOf(edges), [['a', 'b', 'c']], 'a circle would be found')
  t.same(cyclesOf(imports.filter(isOwn)), [], 'no files import each other, types included')
})

t.test('No two folders of core import each other', async (t) => {
  const between = imports
    .filter(({ from, to }) => /^core\/\w+\//.test(from) && /^core\/\w+\//.test(to))
    .map(({ from, to }) => ({ from: folderOf(from, 2), to: folderOf(to, 2) }))
  t.ok(between.length > 100, 'the imports between folders were found')
  t.same(cyclesOf(between), [])
})

t.test('An interface of core has at most five members, unless it is a data record', async (t) => {
  const all = sources
    .filter((path) => path.startsWith('core/'))
    .flatMap((path) => interfacesIn(readFileSync(join(root, path), 'utf8')).map((each) => ({ ...each, path })))
  t.ok(all.length > 100, 'the interfaces were found')
  t.same(
    interfacesIn(
      'interface Shop {\n  /** Why. */\n  open(\n    key: string,\n  ): void\n  readonly width?: number\n}\n',
    ),
    [{ name: 'Shop', members: 2, hasFunctions: true }],
    'and their members are counted',
  )
  const wide = all.filter(({ hasFunctions, members }) => hasFunctions && members > 5)
  t.same(
    wide.map(({ path, name }) => `${path} ${name}`),
    [],
  )
})

t.test('Core does no I/O, reads no clock, draws no random number and makes no promise', async (t) => {
  const banned = /\b(Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|fetch\(|async |await |Promise)\b/
  const violations = sources.filter((path) => path.startsWith('core/') && banned.test(code(path)))
  t.same(violations, [])
})

t.test('Each infrastructure package is imported by one file of the product', async (t) => {
  for (const name of ['uWebSockets.js', 'lmdb', 'ioredis', 'msgpackr', 'jose', 'openid-client', 'pino']) {
    const users = new Set(
      imports.filter(({ from, to }) => to === name && !/^(bench|test)\//.test(from)).map((each) => each.from),
    )
    t.equal(users.size, 1, `${name} is imported by ${[...users].join(', ')}`)
  }
})

t.test('The NATS clients are imported by one folder of the product', async (t) => {
  const isClient = ({ from, to }: Import) => to.startsWith('@nats-io/') && !/^(bench|test)\//.test(from)
  t.same([...new Set(imports.filter(isClient).map(({ from }) => dirname(from)))], ['runtime/nats'])
})

t.test('No file or folder has a meaningless name', async (t) => {
  const banned = /(^|[/.-])(utils?|helpers?|managers?|services?|base|common|misc|lib)([/.-]|$)/i
  t.same(
    files.filter((path) => banned.test(path.replace(/\.\w+$/, ''))),
    [],
  )
})

t.test('No name contains a banned word', async (t) => {
  t.same(wordsOf('toldByRefusal'), ['told', 'by', 'refusal'], 'words of a name are found')
  const violations = sources.flatMap((path) => {
    const names = new Set(withoutTexts(code(path)).match(/(?<![\w$])[A-Za-z_$][\w$]*/g))
    return [...names]
      .filter((name) => wordsOf(name).some((word) => bannedWords.has(word)))
      .map((name) => `${path} ${name}`)
  })
  t.same(violations, [])
})

t.test('Comments contain no banned word and fit the width of the code', async (t) => {
  const violations = sources.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n')
    return lines.flatMap((line, index) => {
      if (!/^\s*(\/\*\*|\*|\/\/)/.test(line)) return []
      return line.length > 120 || bannedInComments.test(line) ? [`${path}:${index + 1}`] : []
    })
  })
  t.same(violations, [])
})

t.test('A README has at most 60 lines; the one at the root is the manual of the product', async (t) => {
  const readmes = files.filter((path) => path.endsWith('README.md'))
  t.ok(readmes.length > 10, 'the READMEs were found')
  t.same(
    readmes.filter((path) => readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length > 60),
    [],
  )
})

t.test('A README names only source files that exist', async (t) => {
  t.same(sourcesNamedIn('Both `a.ts` and `npx b.js ../c/d.ts`; e.ts'), ['a.ts', 'c/d.ts'], 'and these would be found')
  const missing = ['README.md', ...files.filter((path) => path.endsWith('/README.md'))].flatMap((readme) =>
    sourcesNamedIn(readFileSync(join(root, readme), 'utf8'))
      .filter((name) => !sources.some((path) => path === name || path.endsWith(`/${name}`)))
      .map((name) => `${readme} names ${name}`),
  )
  t.same(missing, [])
})

t.test('Every source file opens with a sentence of purpose and holds one idea', async (t) => {
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8')
    t.match(text, /^(#!.*\n)?\/\*\*/, `${path} opens with its purpose`)
    if (!path.startsWith('test/')) t.ok(text.split('\n').length <= 400, `${path} is not longer than 400 lines`)
  }
})

t.test(
  'RegExp is built from our own text only, so operator patterns never reach the backtracking engine',
  async (t) => {
    const allowed = new Set(['runtime/http/input.ts', 'runtime/http/query.ts'])
    t.same(
      sources.filter((path) => !path.startsWith('test/') && !allowed.has(path) && /new RegExp\(/.test(code(path))),
      [],
    )
  },
)

t.test('Secrets are compared in constant time', async (t) => {
  const compared = /(?<!typeof )\b\w*(token|secret|signature|hash)\w* *[!=]== *(?! |undefined|'')/i
  const violations = sources.filter((path) => !/^(test|bench)\//.test(path) && compared.test(code(path)))
  t.same(violations, [])
  t.match('if (keyHash === given)', compared, 'and this would be found')
})

t.test('Limits are frozen: a test passes others, and none can patch them', async (t) => {
  const paths = sources.filter((path) => /^(core|runtime|mgmt|adapters)\/.*\blimits(\/\w+)?\.ts$/.test(path))
  t.ok(paths.length > 15, 'the files of limits are found')
  for (const path of paths) {
    const limits: Record<string, unknown> = await import(
      new URL(`../../dist/${path.replace(/ts$/, 'js')}`, import.meta.url).href
    )
    const thawed = Object.keys(limits).filter(
      (name) => typeof limits[name] === 'object' && !Object.isFrozen(limits[name]),
    )
    t.same(thawed, [], path)
  }
})

t.test('Every request to a URL of a user passes the guard', async (t) => {
  const calls = /(?<!\bconsumer\.)\bfetch\(|https?\.request\(|from 'undici'/
  const violations = sources.filter((path) => !/^(test|bench)\//.test(path) && calls.test(code(path)))
  const others = violations.filter((path) => !path.startsWith('runtime/egress/'))
  t.same(
    others,
    [
      'adapters/emulator/page/api.ts',
      'adapters/webchat/widget/visitor.ts',
      'runtime/cli/api.ts',
      'runtime/emulator/emulator.ts',
      'runtime/http/docs-page.ts',
      'mgmt/access/idtokens.ts',
    ],
    'a command to the operator’s own node, a phone’s to our own gateway, a page’s own call, and the operator’s issuer',
  )
})

t.test('The start command starts Node with the same flags as every other command', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.match(scripts.start, `node ${nodeFlags.join(' ')} dist/runtime/main.js`)
})

t.test('The top level holds the agreed files and folders only', async (t) => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const top = new Set(tracked.map((path) => folderOf(path)).filter((name) => !name.startsWith('.')))
  const agreed = ['LICENSE', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json', ...topFolders]
  t.same(
    [...top].filter((name) => !agreed.includes(name)),
    [],
  )
  for (const folder of topFolders) t.ok(existsSync(join(root, folder, 'README.md')), `${folder} has a README`)
  t.ok(tracked.length > 50, 'the tracked files were found at all')
  t.notMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), '"resolved"', 'the lockfile names no registry')
})

t.test('The formatter and linter report nothing', async (t) => {
  const biome = join(root, 'node_modules/.bin/biome')
  const { status, stdout, stderr } = spawnSync(biome, ['check', '--error-on-warnings', '.'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.equal(status, 0, `${stdout}${stderr}`.slice(0, 2_000))
})

t.test('The README lists every variable as the table of variables describes it', async (t) => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const listed = readme.split('\n').filter((line) => line.startsWith('| `PARLEY_'))
  t.same(
    listed,
    describeConfig().map(({ name, unset, meaning }) => `| \`${name}\` | ${unset} | ${meaning} |`),
  )
})

t.test('Routes are in step with the contract', async (t) => {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const { mgmt, gateway } = node.node.planes
  const declared = [...mgmt.routes, ...gateway.routes]
  const contract = contractRows()
  const names = new Set(declared.map(nameOf))
  const pending = pendingRows()

  for (const route of declared) {
    const row = contract.get(nameOf(route))
    t.ok(row, `${nameOf(route)} is in the contract`)
    const { role, scopes, statuses } = asRow(route)
    t.equal(role, row?.role, `${nameOf(route)} has the role of the contract`)
    t.same([...scopes].sort(), [...(row?.scopes ?? [])].sort(), `${nameOf(route)} has the scopes of the contract`)
    t.ok(
      row?.statuses.every((status) => statuses.includes(status)),
      `${nameOf(route)} answers ${row?.statuses}`,
    )
    t.ok(
      (route.errors ?? []).every((code) => code in errorTable),
      `${nameOf(route)} names errors of the table`,
    )
  }
  t.same(
    [...contract.keys()].filter((name) => !names.has(name) && !pending.includes(name)),
    [],
    'no route is missing',
  )
  t.same(
    pending.filter((name) => names.has(name)),
    [],
    'a built route is no longer pending',
  )
  t.same(
    pending.filter((name) => !contract.has(name)),
    [],
    'a pending route is in the contract',
  )
  const mostPending = 31
  t.ok(pending.length <= mostPending, `the pending list only becomes shorter: lower mostPending to ${pending.length}`)
})
