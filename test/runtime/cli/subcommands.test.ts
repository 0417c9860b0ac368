/** The verbs of the command line against a real node: what they do, what they print, and how they end. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Command } from 'commander'
import t from 'tap'
import { formatTable } from '../../../runtime/cli/columns.js'
import { type Send, sendColumns } from '../../../runtime/cli/send.js'
import { statusLines } from '../../../runtime/cli/status.js'
import { subcommands } from '../../../runtime/cli/subcommands.js'
import type { Status } from '../../../runtime/node/status.js'
import { testKey } from '../../harness/process.js'
import { openReceiver } from '../../harness/receiver.js'
import { createAgent, exitCode, openNode, parley, scratch } from './parley.js'

// A whole node runs here, on a machine that may be busy.
t.setTimeout(200_000)

const node = await openNode(t)
const { env } = node
await createAgent(node)

function* pathsOf(command: Command, path: readonly string[] = []): Generator<readonly [readonly string[], Command]> {
  for (const each of command.commands) {
    const at = [...path, each.name()]
    yield [at, each]
    yield* pathsOf(each, at)
  }
}

t.test('Every verb has help without a node or a key, and a summary of one line', async (t) => {
  const program = new Command('parley')
  const never = () => {
    throw new Error('help opens nothing')
  }
  for (const verb of subcommands) verb(program, never, never)
  const all = [...pathsOf(program)]
  t.ok(all.length >= 25, `${all.length} of them`)
  for (const [path, command] of all) {
    const { code, stdout, stderr } = await parley([...path, '--help'])
    t.equal(code, exitCode.done, path.join(' '))
    t.equal(stderr, '')
    t.match(command.description(), /^[a-z].*[^.]$/, `${path.join(' ')} is described`)
    t.notMatch(command.description(), '\n')
    t.match(stdout, `Usage: parley ${path.join(' ')}`)
    t.match(stdout, '--json', 'shared options are listed, too')
    for (const { description } of command.registeredArguments) t.not(description, '', `${path.join(' ')} explains <…>`)
    for (const { description } of command.options) t.not(description, '', `${path.join(' ')} explains --…`)
  }
  const { stdout } = await parley(['--help'])
  t.match(stdout, /Examples:\n {2}parley status/)
  t.match(stdout, /Exit codes: 0 done, 1 /)
})

t.test('status prints the state of the node, and JSON for programs', async (t) => {
  const people = await parley(['status'], env)
  t.equal(people.code, exitCode.done)
  t.match(people.stdout, /^state {4}ok$/m)
  t.match(people.stdout, /^shards {3}2 of 2 owned, 0 copied$/m)
  t.match(people.stdout, /^waiting {2}\d+ commands?, /m)
  t.match(people.stdout, /^store +ok +-$/m)
  t.match(people.stdout, /^embedded +\S+ +up +gateway mgmt shards$/m)
  const { json } = await parley(['status', '--json'], env)
  t.match(json, {
    version: /^\d/,
    ready: { status: 'ok' },
    shards: { total: 2, owned: 2, copied: 0, behindEntries: 0 },
  })
})

t.test('Problems are printed in words, and the exit code is 1 if the node should get no work', async (t) => {
  const checks = [
    { name: 'store', status: 'failed', detail: 'The disk is full.' },
    { name: 'limits', status: 'degraded', detail: 'Redis is away.' },
    { name: 'bus', status: 'ok' },
  ] as const
  const emptyStatus: Status = {
    ...{ version: '1.2.3', now: '2026-03-01T12:00:00.000Z', upSeconds: 3_725 },
    ready: { status: 'unavailable', checks: [...checks] },
    nodes: [{ id: 'n1', host: 'east', roles: ['mgmt', 'shards'], keepsShards: false, leaving: false }],
    shards: { total: 16, owned: 5, copied: 11, behindEntries: 1_234 },
    waiting: { commands: 5_000, oldestEffectSeconds: 75 },
  }
  const lines = [
    'state    unavailable',
    'version  1.2.3',
    'up       1 h 2 min',
    'shards   5 of 16 owned, 11 copied, 1,234 entries behind',
    'waiting  5,000 commands, effects for up to 1 min 15 s',
    '',
    'CHECK   STATUS    DETAIL',
    'store   failed    The disk is full.',
    'limits  degraded  Redis is away.',
    'bus     ok        -',
    '',
    'NODE  ADDRESS  STATE         ROLES',
    'n1    east     cannot write  mgmt shards',
  ]
  t.strictSame(
    statusLines(emptyStatus, (text) => text),
    lines,
  )
  const receiver = await openReceiver(t)
  receiver.setBehavior('/v1/system/status', (response) => void response.end(JSON.stringify(emptyStatus)))
  const ended = await parley(['status'], { ...env, PARLEY_URL: receiver.url('') })
  t.equal(ended.code, exitCode.failed)
  t.equal(ended.stdout, `${lines.join('\n')}\n`)
  t.match(ended.stderr, /should not be sent work: it is unavailable\.$/m)
})

t.test('Sends are a table in which failures stand out', async (t) => {
  const sends: Send[] = [
    {
      sendId: 'sd_1',
      outreachId: 'welcome',
      origin: 'named',
      personId: 'pr_1',
      state: 'sent',
      queuedAt: '2026-03-01T12:00:00.000Z',
      delivery: { delivered: true, read: false, failed: false },
    },
    { sendId: 'sd_2', outreachId: 'welcome', origin: 'campaign', state: 'failed', reason: 'no_route' },
    {
      sendId: 'sd_3',
      outreachId: 'hi',
      origin: 'named',
      state: 'sent',
      delivery: { delivered: true, read: true, failed: false },
    },
  ]
  t.strictSame(
    formatTable(sendColumns, sends, (text, tone) => (tone === 'alarm' ? `${text}!` : text)),
    [
      'SEND  OUTREACH  ORIGIN    PERSON  STATE   DELIVERY   REASON    QUEUED',
      'sd_1  welcome   named     pr_1    sent    delivered  -         2026-03-01 12:00:00',
      'sd_2  welcome   campaign  -       failed!  -          no_route  -',
      'sd_3  hi        named     -       sent    read       -         -',
    ],
  )
})

t.test('An agent is named with or without its org, which comes from a flag, a variable or the key', async (t) => {
  const ways: [readonly string[], Record<string, string>][] = [
    [['agents', 'show', 'desk'], {}],
    [['agents', 'show', 'demo/desk'], { PARLEY_ORG: 'elsewhere' }],
    [['agents', 'show', 'desk', '--org', 'demo'], { PARLEY_ORG: 'elsewhere' }],
    [['agents', 'show', 'desk'], { PARLEY_ORG: 'demo' }],
  ]
  for (const [args, more] of ways) {
    const { code, stdout, stderr } = await parley(args, { ...env, ...more })
    t.equal(code, exitCode.done, `${args.join(' ')} ${stderr}`)
    t.match(stdout, /^agent +demo\/desk\nname +Desk\n(.*\n)*changed +\d{4}-\d\d-\d\d \d\d:\d\d\n/)
    t.match(stdout, /^CHANNEL +PROVIDER +STATUS +BINDING$/m)
    t.match(stdout, /^webchat +- +Active +cb_\w+$/m)
  }
  for (const named of ['', 'a/b/c', '/desk', 'demo/', '../me', 'Desk']) {
    const { code, stderr, stdout } = await parley(['agents', 'show', named], env)
    t.equal(code, exitCode.wrongUsage, named)
    t.match(stderr, /names nothing\. Type an agent as harbor-desk or demo\/harbor-desk; .*--org or PARLEY_ORG\.$/m)
    t.equal(stdout, '')
  }
  const missing = await parley(['agents', 'show', 'nobody'], env)
  t.equal(missing.code, exitCode.failed)
  t.match(missing.stderr, /There is nothing at \/orgs\/\w+\/agents\/nobody on the node at/)
})

t.test('agents are listed, exported to a file or a pipe, and imported', async (t) => {
  t.match((await parley(['agents', '--json'], env)).json, [{ id: 'desk', orgId: 'demo' }])
  await node.call('POST', '/orgs/demo/agents', { name: 'First', id: 'first' })
  const template = { id: 'hello', name: 'Hello', body: 'Hello there.' }
  await node.call('POST', '/orgs/demo/agents/first/message-templates', template)
  const yaml = join(scratch(t), 'first.yaml')
  const written = await parley(['agents', 'export', 'first', yaml], env)
  t.same([written.code, written.stdout, written.stderr], [exitCode.done, '', `first is in ${yaml}.\n`])
  t.match(readFileSync(yaml, 'utf8'), /^format: agent\/1$/m)
  const json = yaml.replace(/yaml$/, 'json')
  await parley(['agents', 'export', 'first', json], env)
  const document = JSON.parse(readFileSync(json, 'utf8'))
  t.equal(document.format, 'agent/1')
  t.match((await parley(['agents', 'export', 'first'], env)).stdout, /^format: agent\/1$/m)
  t.same((await parley(['agents', 'export', 'first', '--json'], env)).json, document)

  await node.call('POST', '/orgs/demo/agents', { name: 'Second', id: 'second' })
  for (const file of [yaml, json]) {
    const read = await parley(['agents', 'import', 'demo/second', file], env)
    t.equal(read.code, exitCode.done, read.stderr)
    const second = await parley(['agents', 'export', 'second', '--json'], env)
    t.same(second.json.messageTemplates, [template])
  }
  writeFileSync(yaml, 'format: agent/1\nplaybooks: 7\n')
  const wrong = await parley(['agents', 'import', 'second', yaml], env)
  t.equal(wrong.code, exitCode.failed)
  t.match(wrong.stderr, /refused: playbooks/, 'the field is named')
  const none = await parley(['agents', 'import', 'second', join(yaml, 'none')], env)
  t.equal(none.code, exitCode.wrongUsage)
  t.match(none.stderr, /cannot be used: ENOTDIR/)
})

t.test('A send goes to one person once per key, and can be looked up and cancelled', async (t) => {
  const to = ['--to', '+14155550100', '--input', 'city=Bergen', '--input', 'note=a=b']
  const dry = await parley(['send', 'desk', 'welcome', ...to, '--dry-run'], env)
  t.equal(dry.code, exitCode.done)
  t.match(dry.stdout, /^STATUS +OUTREACH +SEND +PERSON\ndry run +welcome +- +-\n\n\S.*$/m, 'with the text')
  t.match(dry.stderr, /does not know these inputs as fields of people: .*city/)
  const agentPath = '/orgs/demo/agents/desk'
  await node.call('PUT', `${agentPath}/knowledge/collections`, { collections: [{ id: 'tours', name: 'Tours' }] })
  const tour = { id: 'fjord', name: 'Fjord tour', collections: ['tours'] }
  await node.call('PUT', `${agentPath}/knowledge/things`, { things: [tour] })
  for (const [id, body] of [
    ['shown', 'See [[collection: tours]]'],
    ['refused', 'Dear {person.lastName|block-send}'],
    ['uncompiled', 'See [[things: none]]'],
  ]) {
    await node.call('POST', `${agentPath}/message-templates`, { id, name: id, body })
    await node.call('POST', `${agentPath}/outreach`, { id, name: id, class: 'service', openerTemplateId: id })
  }
  const dryRun = (outreach: string, ...more: string[]) =>
    parley(['send', 'desk', outreach, '--to', '+14155550100', '--dry-run', ...more], env)
  t.match((await dryRun('shown')).stdout, /\n\nSee\n *\nFjord tour\n$/, 'as it is sent')
  t.match((await dryRun('refused')).stderr, /The opening is blocked\. Without person\.lastName it must not be sent\.$/m)
  t.match((await dryRun('uncompiled')).stderr, /The opening is blocked\. There is no thing none\.$/m)
  t.match((await dryRun('refused', '--json')).json, { status: 'skipped', blocked: /person\.lastName/ })
  const made = await parley(
    ['send', 'demo/desk', 'welcome', ...to, '--key', 'k1', '--profile', 'firstName=Ann', '--json'],
    env,
  )
  t.match(made.json, { status: 'queued', outreachId: 'welcome', sendId: /^sd_/ })
  const repeated = await parley(['send', 'desk', 'welcome', ...to, '--key', 'k1', '--json'], env)
  t.match(repeated.json, { status: 'duplicate', sendId: made.json.sendId })

  const listed = await parley(['sends', 'desk', '--state', 'queued', '--outreach', 'welcome'], env)
  t.match(listed.stdout, /^SEND +OUTREACH +ORIGIN +PERSON +STATE +DELIVERY +REASON +QUEUED$/m)
  t.match(listed.stdout, new RegExp(`^${made.json.sendId} +welcome +named +pr_\\w+ +queued +- +- +\\d{4}-`, 'm'))
  t.notMatch(listed.stdout, '4155550100', 'no number is printed')
  const cancelled = await parley(['sends', 'cancel', 'desk', made.json.sendId, '--json'], env)
  t.equal(cancelled.json.state, 'cancelled')
  const late = await parley(['sends', 'cancel', 'desk', made.json.sendId], env)
  t.equal(late.code, exitCode.failed)
  t.match(late.stderr, /refused: The send is past being cancelled/)

  const wrong: [readonly string[], number, RegExp][] = [
    [[], exitCode.wrongUsage, /goes to one person. Name them with --to, --person or --persona\.$/m],
    [[...to, '--person', 'pr_1'], exitCode.wrongUsage, /goes to one person/],
    [['--to', '+1', '--input', 'city'], exitCode.wrongUsage, /It wants name=value/],
    [['--to', '+1', '--input', 'city=B'], exitCode.failed, /refused: The address is not one of its channel/],
    [['--person', 'pr_nobody'], exitCode.failed, /refused: There is no such recipient/],
  ]
  for (const [args, code, message] of wrong) {
    const ended = await parley(['send', 'desk', 'welcome', ...args], env)
    t.equal(ended.code, code, args.join(' '))
    t.match(ended.stderr, message)
    t.equal(ended.stdout, '')
  }
})

t.test('A key is printed once when it is created, and a rotated one ends', async (t) => {
  const made = await parley(['keys', 'create', 'ci', '--scope', 'agents:read', 'messages:read'], env)
  t.equal(made.code, exitCode.done)
  t.match(made.stdout, /^sk-svc-\w+\n$/, 'alone on stdout, for a file')
  const [, id = ''] = /This is (key_\w+) \(ci\)\. It is shown this once/.exec(made.stderr) ?? []
  const key = made.stdout.trim()
  const works = async (which: string) =>
    (await parley(['agents'], { ...env, PARLEY_KEY: which })).code === exitCode.done
  t.ok(await works(key))
  const listed = await parley(['keys'], env)
  t.match(listed.stdout, /^KEY +NAME +BEGINS +LAST USED +EXPIRES +SCOPES$/m)
  t.match(listed.stdout, new RegExp(`^${id} +ci +sk-svc-\\S+… .* agents:read messages:read$`, 'm'))
  t.notMatch(listed.stdout, key)

  const saved = await parley(['keys', 'rotate', id, '--keep-old', '--json'], env)
  t.same(saved.json.scopes, ['agents:read', 'messages:read'])
  t.ok(await works(key))
  const rotated = await parley(['keys', 'rotate', id], env)
  t.notOk(await works(key))
  t.ok(await works(rotated.stdout.trim()))
  const revoked = await parley(['keys', 'revoke', saved.json.id], env)
  t.same([revoked.code, revoked.stdout], [exitCode.done, ''])
  t.notOk(await works(saved.json.key))

  const operator = (await parley(['keys', '--json'], env)).json.find(({ name }: { name: string }) => name !== 'ci').id
  for (const verb of ['revoke', 'rotate']) {
    const refused = await parley(['keys', verb, operator], env)
    t.equal(refused.code, exitCode.failed)
    t.match(refused.stderr, /is the key of the system operator\. It stays: parley keys rotate-operator replaces it/)
  }
  t.ok(await works(testKey))
  const wrong = await parley(['keys', 'create', 'ci', '--scope', 'everything'], env)
  t.equal(wrong.code, exitCode.wrongUsage)
  t.match(wrong.stderr, /Allowed choices are agents:read/)
})

t.test('The system operator’s key is rotated: the new key replaces the old one', async (t) => {
  const own = await node.call('GET', '/me')
  const { key, id } = await node.call('POST', `/orgs/${own.org.id}/api-keys`, {
    name: 'operator',
    scopes: own.scopes,
    isSysop: true,
  })
  const rotated = await parley(['keys', 'rotate-operator'], { ...env, PARLEY_KEY: key })
  t.equal(rotated.code, exitCode.done, rotated.stderr)
  t.match(rotated.stdout, /^sk-svc-\w+\n$/)
  t.match(rotated.stderr, `${id} opens nothing any more.`)
  const made = rotated.stdout.trim()
  t.equal((await parley(['status'], { ...env, PARLEY_KEY: made })).code, exitCode.done, 'it operates the system')
  t.not((await parley(['status'], { ...env, PARLEY_KEY: key })).code, exitCode.done)
  const lesser = (await parley(['keys', 'create', 'lesser', '--scope', 'org:admin'], env)).stdout.trim()
  const refused = await parley(['keys', 'rotate-operator'], { ...env, PARLEY_KEY: lesser })
  t.equal(refused.code, exitCode.failed)
  t.match(refused.stderr, /not a key of the system operator/)
})

t.test('A backup is downloaded into a folder, verified, and leaves nothing on the node', async (t) => {
  const folder = join(scratch(t), 'today')
  const made = await parley(['backup', folder], env)
  t.equal(made.code, exitCode.done, made.stderr)
  t.match(made.stdout, /^\d{8}-\d{6}-\w{8} is in \S+: 1 file, \S+ KiB, 2 of 2 shards, with all that was acknowledged/)
  t.match(made.stderr, /^THE ROOT KEY IS NOT IN IT\. Keep secret\.key or PARLEY_SECRET_KEY elsewhere/)
  t.equal(statSync(join(folder, 'store.mdb')).mode & 0o077, 0, 'readable by the owner only')
  t.same((await node.call('GET', '/system/backups')).data, [])
  t.equal((await parley(['verify', folder])).code, exitCode.done, 'and needs no node')

  const full = await parley(['backup', folder], env)
  t.equal(full.code, exitCode.wrongUsage)
  t.match(full.stderr, /is not empty, and nothing is ever written over/)
  const into = await parley(['restore', folder, '--data', folder])
  t.equal(into.code, exitCode.wrongUsage, 'a folder in use is wrong usage for a restore too')
  const saved = await parley(['backup', join(folder, '..', 'kept'), '--keep', '--with-key', '--json'], env)
  t.match(saved.json, { key: true, held: [{ shard: 0 }, { shard: 1 }] })
  t.equal(saved.stderr, '')
  t.match((await node.call('GET', '/system/backups')).data, [{ name: saved.json.name, state: 'ready' }])

  const receiver = await openReceiver(t)
  const at = '/v1/system/backups'
  const answers = (body: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(body))
  const media = { ...saved.json.files[0], path: 'media/a.png' }
  const manifest = { ...saved.json, files: [media, saved.json.files[0]] }
  receiver.setBehavior(at, answers({ name: 'b1', state: 'making' }))
  receiver.setBehavior(`${at}/b1`, answers({ name: 'b1', state: 'ready', manifest }))
  receiver.setBehavior(
    `${at}/b1/files/0`,
    (response) => void response.end(readFileSync(join(folder, 'store.mdb')).subarray(1)),
  )
  const spoilt = join(folder, '..', 'spoilt')
  const ended = await parley(['backup', spoilt], { ...env, PARLEY_URL: receiver.url('') })
  t.equal(ended.code, exitCode.failed)
  t.match(ended.stderr, /^media\/a\.png did not arrive as it was sent\. Make the backup again\.$/m)
  t.same(readdirSync(spoilt), [], 'no file is left that looks like a backup')
  receiver.setBehavior(`${at}/b1`, answers({ name: 'b1', state: 'failed', why: 'The disk is full.' }))
  const failed = await parley(['backup', spoilt], { ...env, PARLEY_URL: receiver.url('') })
  t.match(failed.stderr, /could not make the backup\. The disk is full\.$/m)

  writeFileSync(join(folder, 'store.mdb'), 'x')
  for (const args of [
    ['verify', folder],
    ['restore', folder, '--data', join(folder, '..', 'data')],
  ]) {
    const ended = await parley(args)
    t.equal(ended.code, exitCode.failed)
    t.match(ended.stderr, /store\.mdb has 1 bytes instead of \d+\.$/m)
  }
  t.equal((await parley(['restore', folder])).code, exitCode.wrongUsage, 'the data folder has to be named')
})
