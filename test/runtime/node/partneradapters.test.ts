/** Adapters of partners are found as node finds modules, and held to the contract before anything runs on them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Adapter } from '../../../core/channel/adapter.js'
import { AdapterUnusable, openPartners } from '../../../runtime/node/partneradapters.js'
import type { Log } from '../../../runtime/observe/log.js'
import { generateAdapter, loadAdapter, tempDir } from '../../adapters/kit/generatedadapter.js'

const { dir } = generateAdapter(t, 'sms', 'pigeon')
const { adapter } = await loadAdapter(dir)

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }

async function load(specifiers: readonly string[], from: string, existing: readonly Adapter[] = []) {
  const partners = await openPartners(specifiers, { from, existing, log })
  t.teardown(() => partners.close())
  return partners.adapters
}

const code = 'export default { descriptor: { contract: 1, channel: "sms" } }'

/** A module file with that text, and the folder it stands in. */
function writeModule(test: { teardown(end: () => void): void }, text: string): { dir: string; file: string } {
  const folder = tempDir(test)
  writeFileSync(join(folder, 'module.mjs'), text)
  return { dir: folder, file: './module.mjs' }
}

t.test('A generated package is loaded by its folder, from any working directory of the node', async (t) => {
  const [loaded, ...more] = await load([dir], '/')
  t.equal(loaded?.descriptor.provider, 'pigeon')
  t.same(more, [])
  t.same(
    (await load(['./made'], join(dir, '..')))[0]?.descriptor,
    loaded?.descriptor,
    'relative to where the node was started',
  )
  t.same((await load(['.'], dir))[0]?.descriptor, loaded?.descriptor)
  t.same((await load(['./index.js'], dir))[0]?.descriptor, loaded?.descriptor, 'or by its file')
})

t.test('A package is found by its name, even if it exports only ES modules', async (t) => {
  const from = tempDir(t)
  const bodies = {
    '@partner/pigeon': { exports: { '.': { types: './x.d.ts', import: './in.js' } } },
    plain: { main: './in.js' },
    dual: { exports: { node: { import: './in.js' }, default: './other.js' } },
    usual: {},
  }
  for (const [name, manifest] of Object.entries(bodies)) {
    const folder = join(from, 'node_modules', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', ...manifest }))
    const entry = name === 'usual' ? 'index.js' : 'in.js'
    writeFileSync(join(folder, entry), `export { default } from '${join(dir, 'index.js')}'`)
    const [loaded] = await load([name], from)
    t.equal(loaded?.descriptor.provider, 'pigeon', name)
  }
})

t.test('A module may export several adapters', async (t) => {
  const { dir: from, file } = writeModule(
    t,
    `import pigeon from '${join(dir, 'index.js')}'
     const of = (provider) => ({ ...pigeon, descriptor: { ...pigeon.descriptor, provider, form: { ...pigeon.descriptor.form, provider } } })
     export const adapters = [of('one'), of('two')]`,
  )
  const loaded = await load([file, dir], from)
  t.same(
    loaded.map(({ descriptor }) => descriptor.provider),
    ['one', 'two', 'pigeon'],
    'in the order in which they are named',
  )
})

t.test('A faulty module is an error that names the module and the fault', async (t) => {
  const changedAdapter = (changes: string) =>
    `import pigeon from '${join(dir, 'index.js')}'
     const { descriptor } = pigeon
     const { form } = descriptor
     export default { ...pigeon, ${changes} }`
  const changedDescriptor = (changes: string) => changedAdapter(`descriptor: { ...descriptor, ${changes} }`)
  const wrong: [text: string, says: RegExp][] = [
    ['export const other = 1', /gives no adapter/],
    ['export const adapters = []', /gives no adapter/],
    ['export default 7', /no adapter/],
    ['export default {}', /no `descriptor`/],
    ['throw new Error("no database")', /cannot be loaded: no database/],
    ['export default {', /cannot be loaded/],
    [changedDescriptor('contract: 2'), /version 2 of the adapter contract, and this node version 1/],
    [changedDescriptor('contract: undefined'), /version nothing/],
    [changedDescriptor('channel: "telex"'), /channel telex, which does not exist/],
    [changedDescriptor('channel: "webchat"'), /webchat, which the gateway serves itself/],
    [changedDescriptor('provider: "other"'), /form of another provider/],
    [changedDescriptor('provider: "A B", form: { ...form, provider: "A B" }'), /form whose provider/],
    [changedDescriptor('form: undefined'), /credential form/],
    [
      changedDescriptor('form: { ...form, credentials: { type: "object", properties: {}, required: 1 } }'),
      /cannot be checked/,
    ],
    [changedDescriptor('traits: undefined'), /no traits/],
    [changedDescriptor('headers: ["X-Upper"]'), /headers/],
    [changedAdapter('render: undefined'), /no function `render`/],
    [changedAdapter('send: 1'), /no function `send`/],
    [changedAdapter('receive: null'), /no function `receive`/],
    [changedAdapter('probe: "yes"'), /`probe` that is no function/],
    [changedAdapter('openMedia: {}'), /`openMedia` that is no function/],
    [code, /no function `render`/],
  ]
  for (const [text, message] of wrong) {
    const { dir: from, file } = writeModule(t, text)
    await t.rejects(load([file], from), { message }, text.split('\n').at(-1) ?? text)
    await t.rejects(load([file], from), { message: /^PARLEY_ADAPTERS: \.\/module\.mjs / })
  }
  t.ok((await load(['./nowhere'], dir).catch((error) => error)) instanceof AdapterUnusable)
  await t.rejects(load(['@partner/nowhere'], dir), { message: /@partner\/nowhere cannot be found/ })
  await t.rejects(load(['./nowhere'], dir), { message: /\.\/nowhere cannot be found/ })
  await t.rejects(load(['fs'], dir), { message: /fs/ }, 'a value that is no partner module')
})

t.test('A provider of a channel has one adapter', async (t) => {
  await t.rejects(load([dir, join(dir, 'index.js')], '/'), { message: /pigeon on sms, which has an adapter/ })
  await t.rejects(load([dir], '/', [adapter]), { message: /has an adapter already/ }, 'those of the build count')
  t.same(await load([], '/'), [])
})
