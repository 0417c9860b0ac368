/**
 * The catalogs hold what they promise: enough of it, well formed, in step with itself, and safe to put before people.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import {
  type CatalogKind,
  catalogKinds,
  defaultPlaybookOf,
  findInCatalog,
  isCatalogKind,
  listCatalog,
  shapeOf,
} from '../../core/catalogs/index.js'
import { prose } from '../../core/catalogs/prose.js'
import type { FormSchema } from '../../core/channel/form.js'
import { channelNames } from '../../core/channelnames.js'
import { isRefusal } from '../../core/errors.js'
import { pathIdPattern, slugPattern } from '../../core/ids.js'
import { catalog } from '../../core/limits/index.js'
import { orgEventNames } from '../../core/orgevents.js'
import { catalogRoutes } from '../../mgmt/catalogs/routes.js'

const ajv = new Ajv2020({ strict: true, allErrors: true })
formats.default(ajv)

const playbooks = listCatalog('playbook-templates')
const agents = listCatalog('agent-templates')
const channels = listCatalog('channels')

/** Words that end or resume all messages, or are answered by the platform, when they are a whole message. */
const keywords = new Set(
  'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT HELP INFO START UNSTOP YES ARRET'.split(' '),
)

t.test('Every kind of the contract has enough entries to begin with', async (t) => {
  const least: Record<CatalogKind, number> = {
    'agent-templates': 4,
    'playbook-templates': 12,
    'skill-templates': 4,
    'objective-templates': 4,
    'personality-templates': 6,
    'guardrail-templates': 5,
    tools: 8,
    channels: 9,
    'log-events': 20,
    'webhook-events': 12,
  }
  t.same(catalogKinds, Object.keys(least))
  for (const kind of catalogKinds) t.ok(listCatalog(kind).length >= least[kind], `${kind} has ${least[kind]} or more`)
})

t.test('Every entry has the shape that its kind declares', async (t) => {
  for (const kind of catalogKinds) {
    const check = ajv.compile(shapeOf(kind))
    for (const entry of listCatalog(kind)) t.ok(check(entry), `${entry.id} ${ajv.errorsText(check.errors)}`)
  }
})

t.test('Every event name written to the log of an agent is in the catalog of log events', async (t) => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const folders = [
    'core/conversation',
    ...['agentwebhook', 'conversation', 'delivery', 'sandbox'].map((name) => `runtime/${name}`),
  ]
  const written = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8')
      return [...text.matchAll(/\blog\((?:tx, |\{[^}]*\bevent: )'([^']+)'/g)].map(([, event]) => event!)
    }),
  )
  t.ok(written.length >= 20, 'they were found at all')
  t.same(
    written.filter((event) => !findInCatalog('log-events', event)),
    [],
  )
})

t.test('Ids are unique, qualified by kind, and fit a path and a slug', async (t) => {
  const words: Partial<Record<CatalogKind, string>> = {
    'agent-templates': 'agent',
    'playbook-templates': 'playbook',
    'skill-templates': 'skill',
    'objective-templates': 'objective',
    'personality-templates': 'personality',
    'guardrail-templates': 'guardrail',
    tools: 'tool',
  }
  for (const kind of catalogKinds) {
    const ids = listCatalog(kind).map(({ id }) => id as string)
    t.equal(new Set(ids).size, ids.length, `${kind} repeats no id`)
    for (const id of ids) t.match(id, new RegExp(pathIdPattern))
    const word = words[kind]
    if (!word) continue
    for (const id of ids) {
      t.ok(id.startsWith(`@svc/${word}.`), id)
      t.match(id.slice(`@svc/${word}.`.length), new RegExp(slugPattern), 'the last part can become a local id')
    }
  }
  t.same(
    listCatalog('webhook-events').map(({ id }) => id),
    orgEventNames,
  )
  for (const id of ['framework.dispatched', 'llm.call']) t.ok(findInCatalog('log-events', id), id)
})

t.test('Every reference to another entry resolves', async (t) => {
  const resolves = (kind: CatalogKind, ids: readonly string[] | undefined, by: string) => {
    for (const id of ids ?? []) t.ok(findInCatalog(kind, id), `${by} refers to ${id}`)
  }
  for (const agent of agents) {
    resolves('playbook-templates', agent.playbookTemplateIds, agent.id)
    resolves('personality-templates', agent.personalityTemplateId ? [agent.personalityTemplateId] : [], agent.id)
    resolves('objective-templates', agent.objectiveTemplateIds, agent.id)
    resolves('guardrail-templates', agent.guardrailTemplateIds, agent.id)
    resolves('skill-templates', agent.skillTemplateIds, agent.id)
    resolves('tools', agent.recommendedToolIds, agent.id)
  }
  for (const playbook of playbooks) resolves('skill-templates', playbook.derivedSkillTemplateIds, playbook.id)
  for (const skill of listCatalog('skill-templates')) resolves('tools', skill.requiredTools, skill.id)
})

t.test('An agent template has one default playbook, and every playbook that its playbooks mention', async (t) => {
  for (const agent of agents) {
    const ids = agent.playbookTemplateIds ?? []
    const own = ids.map((id) => findInCatalog('playbook-templates', id)!)
    t.equal(own.filter(({ isDefault }) => isDefault).length, 1, agent.id)
    t.ok(ids.includes(defaultPlaybookOf(agent).id), agent.id)
    for (const { body, id } of own) {
      for (const [, words] of body.replace(/\s+/g, ' ').matchAll(/\bthe ([a-z ]+?) playbook\b/g)) {
        const named = `@svc/playbook.${words!.replaceAll(' ', '-')}`
        t.ok(ids.includes(named), `${agent.id}: ${id} leads to ${named}`)
      }
    }
  }
  for (const { id, isDefault, isOutbound } of playbooks) t.notOk(isDefault && isOutbound, `${id} is one or the other`)
  t.ok(playbooks.some(({ isOutbound }) => isOutbound))
  t.throws(() => defaultPlaybookOf({ ...agents[0]!, playbookTemplateIds: ['@svc/playbook.faq'] }), /exactly one/)
  const two = ['@svc/playbook.front-desk', '@svc/playbook.lead-desk']
  t.throws(() => defaultPlaybookOf({ ...agents[0]!, playbookTemplateIds: two }), /exactly one/)
})

t.test('Forms and tool calls are JSON Schemas that keep secrets write-only', async (t) => {
  const tools = listCatalog('tools')
  const forms: Record<string, FormSchema> = {}
  for (const { id, parameters, configSchema } of tools) {
    forms[`${id} parameters`] = parameters
    t.ok(configSchema, `${id} says how it is set up`)
    if (configSchema) forms[`${id} config`] = configSchema
  }
  for (const { id, managed, unmanaged } of channels) {
    forms[`${id} inputs`] = managed.inputs
    for (const { provider, credentials } of unmanaged) forms[`${id} ${provider}`] = credentials
  }
  for (const [name, schema] of Object.entries(forms)) {
    t.doesNotThrow(() => ajv.compile({ ...schema }), name)
    t.same([...fieldFindings(schema)], [], name)
  }
  const open = { properties: { apiKey: { type: 'string', description: 'Open to all.' } }, required: ['url'] }
  t.equal([...fieldFindings(open)].length, 2, 'and a bad form would be found')
})

/** What is wrong with the fields of a form, also those inside groups and lists. */
function* fieldFindings(schema: unknown): Generator<string> {
  const { properties = {}, items, required = [] } = schema as Record<string, unknown>
  const fields = properties as Record<string, Record<string, unknown>>
  for (const name of required as string[]) if (!fields[name]) yield `${name} is required but is no field`
  for (const [key, field] of Object.entries(fields)) {
    const isSecret = /(secret|token|password|key|header)$/i.test(key)
    if ((field.writeOnly === true) !== isSecret) yield `${key} is ${isSecret ? 'not ' : ''}write-only`
    if (!field.description) yield `${key} is not described`
    yield* fieldFindings(field)
  }
  if (items) yield* fieldFindings(items)
}

t.test('Every channel is in the catalog, and every provider asks for exactly its credentials', async (t) => {
  const page = 'pageId accessToken appSecret verifyToken apiUrl?'
  const contract: Record<string, Record<string, string>> = {
    rcs: { rbm: 'agentId serviceAccount clientToken messageTrafficType? apiUrl?' },
    sms: {
      twilio: 'accountSid authToken from? messagingServiceSid? apiUrl?',
      smpp: 'host port systemId password systemType? from tls? windowSize? ratePerSecond?',
    },
    messengerA: { whatsapp: 'phoneNumberId accessToken appSecret verifyToken apiUrl?' },
    messengerB: { messenger: page },
    socialC: { instagram: page.replace(' ', ' accountId? ') },
    vendorMessages: { apple: 'businessId mspId secret apiUrl?' },
    workchatD: { slack: 'botToken signingSecret apiUrl?' },
  }
  t.same(
    channels.map(({ id }) => id),
    channelNames,
  )
  for (const { id, unmanaged, compliance, instant } of channels) {
    const expected = { ...contract[id], ...(id === 'webchat' ? {} : { emulator: '' }) }
    const offered = Object.fromEntries(unmanaged.map(({ provider, credentials }) => [provider, fieldsOf(credentials)]))
    t.same(offered, expected, id)
    t.equal(compliance, id === 'rcs' || id === 'sms', `${id}: carrier rules`)
    t.equal(instant, id === 'webchat', `${id}: ready at once`)
  }
  const auth = ajv.compile({ ...channels.find(({ id }) => id === 'sms')!.unmanaged[0]!.credentials })
  const account = { accountSid: 'AC1', authToken: 'secret' }
  t.notOk(auth(account), 'a sender or a messaging service has to be named')
  t.ok(auth({ ...account, from: '+12025550143' }))
  t.ok(auth({ ...account, messagingServiceSid: 'MG1' }))
  t.notOk(auth({ ...account, from: '+12025550143', region: 'us' }), 'an unknown field is refused')
})

function fieldsOf(schema: FormSchema): string {
  const required = new Set((schema as { required?: string[] }).required)
  return Object.keys(schema.properties)
    .map((name) => (required.has(name) ? name : `${name}?`))
    .join(' ')
}

/** Every string that a model, an operator or a person will read, and who wrote it. */
function* texts(value: unknown, path: string): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value }
  if (typeof value !== 'object' || value === null) return
  if ((value as { role?: string }).role === 'user') return
  for (const [key, inner] of Object.entries(value)) yield* texts(inner, `${path}.${key}`)
}

t.test('Texts are finished, cheap to send as sms, and leave opt-out to the platform', async (t) => {
  const rules: [RegExp, string][] = [
    [/\b(lorem|ipsum|todo|tbd|fixme|foo|xxx|placeholder)\b/i, 'is unfinished'],
    [/\b(STOP|UNSUBSCRIBE|CANCEL|END|QUIT|HELP|START)\b/, 'handles what the platform handles'],
    [/[^\n\x20-\x7e]|^$/, 'costs an extra segment on sms, or is empty'],
    [/\[\[(template|things|collection):|image:/, 'names something an agent may lack'],
  ]
  const broken = (text: string) => rules.filter(([form]) => form.test(text)).map(([, what]) => what)
  for (const kind of catalogKinds) {
    const findings = listCatalog(kind)
      .flatMap((entry) => [...texts(entry, entry.id)])
      .flatMap(({ path, text }) => broken(text).map((what) => `${path} ${what}`))
    t.same(findings, [], kind)
  }
  t.equal(broken('TODO: say \u201cSTOP\u201d, then [[template: bye]]').length, 4, 'and each rule can be broken')
})

t.test('Examples are complete exchanges: the person begins, the agent ends, and they take turns', async (t) => {
  for (const { id, examples } of playbooks) {
    t.ok(examples && examples.length > 0, `${id} has an example`)
    for (const example of examples ?? []) {
      t.equal(example.length % 2, 0, id)
      for (const [index, { role }] of example.entries()) t.equal(role, index % 2 === 0 ? 'user' : 'agent', id)
    }
  }
})

interface Marker {
  readonly name: string
  readonly head: string
  readonly lines: readonly string[]
}

/** Markers stand at the start of a line; a block goes on to a line of its own that closes it. */
function markersOf(text: string): Marker[] {
  const markers: Marker[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (!line.includes('[[')) continue
    const opened = /^\[\[([a-z.]+)(.*)$/.exec(line)
    if (!opened) throw new Error(`a marker within a line: ${line}`)
    const [, name, rest] = opened
    if (rest!.endsWith(']]')) markers.push({ name: name!, head: rest!.slice(0, -2), lines: [] })
    else {
      const end = lines.indexOf(']]', at)
      if (end < 0) throw new Error(`a marker that is not closed: ${line}`)
      markers.push({ name: name!, head: rest!, lines: lines.slice(at + 1, end) })
      at = end
    }
  }
  return markers
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const isoStart = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

/** The labels a person can tap. Throws with the line when a marker is not as the markup has it. */
function labelsOf({ name, head, lines }: Marker): string[] {
  switch (name) {
    case 'chips':
      return head.replace(/^: /, '').split(' | ').map(chipLabel)
    case 'ask.choice':
    case 'ask.time': {
      mustFit(head, /^ #[a-z0-9-]+ \| .+\?$/)
      const options = lines.map((line) => /^(\S+) = (.+)$/.exec(mustFit(line, /^[a-z0-9-]+ = .+$/))!)
      if (new Set(options.map(([, id]) => id)).size < options.length) throw new Error(`an id twice in ${lines}`)
      return options.map(([, , displayed]) =>
        name === 'ask.time' ? slotLabel(displayed!) : displayed!.split(' ~ ')[0]!,
      )
    }
    case 'confirm':
      mustFit(head, /^ #[a-z0-9-]+ \| .+\?$/)
      for (const line of lines) mustFit(line, /^[A-Z][a-z]+: .+$/)
      return []
    case 'showcase':
      mustFit(head, /^ #[a-z0-9-]+ \| .+\?$/)
      for (const line of lines) mustFit(line, /^[a-z0-9-]+ = .+ ~ .+$/)
      return []
    case 'event': {
      const [, start, end, zone] = mustFit(head, /^: .+ \| .+ \| .+ \| [A-Z]\w+\/\w+$/).split(' | ')
      if (Date.parse(mustFit(start!, isoStart)) >= Date.parse(mustFit(end!, isoStart))) throw new Error(head)
      new Intl.DateTimeFormat('en', { timeZone: zone })
      return []
    }
    case 'place':
      mustFit(head, /^: .+ \| .+$/)
      return []
    case 'contact':
      mustFit(head, /^: .+ \| \+\d+ \| \S+@\S+ \| https:\/\/\S+$/)
      return []
    default:
      throw new Error(`unknown marker ${name}`)
  }
}

function mustFit(text: string, form: RegExp): string {
  if (!form.test(text)) throw new Error(`not as the markup has it: ${text}`)
  return text
}

function chipLabel(chip: string): string {
  const [label, target] = chip.split(' -> ')
  if (target) mustFit(target, /^(https:\/\/\S+|tel:\+\d+)$/)
  return label!
}

/** What a slot says must be what it means, day and hour. */
function slotLabel(displayed: string): string {
  const [start, label] = displayed.split(' ~ ') as [string, string]
  mustFit(start, isoStart)
  const local = new Date(`${start.slice(0, 19)}Z`)
  mustFit(label, new RegExp(`^${weekdays[local.getUTCDay()]} ${local.getUTCDate()} \\w+, ${start.slice(11, 16)}$`))
  return label
}

t.test('A tap label fits every channel and is never an opt-out keyword', async (t) => {
  const bodies = [
    ...[...playbooks, ...listCatalog('skill-templates')].map(({ id, body }) => ({ id, text: body })),
    ...playbooks.flatMap(({ id, examples }) => (examples ?? []).flat().map(({ content }) => ({ id, text: content }))),
  ]
  const shortestCutChars = 20
  const offered = bodies.flatMap(({ id, text }) => markersOf(text).map((marker) => ({ id, labels: labelsOf(marker) })))
  for (const { id, labels } of offered) {
    const isWord = (label: string) => keywords.has(label.toUpperCase().replace(/[^A-Z]/g, ''))
    const misfits = labels.filter((label) => !label || label.length > catalog.chipLabelChars || isWord(label))
    t.same(misfits, [], `${id}: ${labels.join(', ')}`)
    const cut = new Set(labels.map((label) => label.slice(0, shortestCutChars)))
    t.equal(cut.size, labels.length, `${id}: ${labels.join(', ')} stay apart where a channel cuts them`)
  }
  t.ok(offered.length > 40, 'the markers were found')
  t.throws(() => markersOf('[[ask.time #a | When?\nx = y'), /not closed/)
  t.throws(() => slotLabel('2030-05-14T10:00:00-04:00 ~ Wed 14 May, 10:00'), /not as the markup/)
})

t.test('A catalog is read by kind and id, and a reader cannot change it', async (t) => {
  const knownKinds = new Set<string>(catalogKinds)
  fc.assert(fc.property(fc.string(), (kind) => isCatalogKind(kind) === knownKinds.has(kind)))
  for (const kind of ['__proto__', 'constructor', 'toString', '']) t.notOk(isCatalogKind(kind), `${kind} is no kind`)
  const anyKind = fc.constantFrom(...catalogKinds)
  fc.assert(fc.property(anyKind, fc.string(), (kind, id) => (findInCatalog(kind, id)?.id ?? id) === id))
  for (const kind of catalogKinds) {
    for (const entry of listCatalog(kind)) t.equal(findInCatalog(kind, entry.id), entry)
  }
  const booking = findInCatalog('playbook-templates', '@svc/playbook.booking')!
  t.throws(() => booking.examples![0]!.push({ role: 'user', content: 'changed' }), TypeError)
  t.throws(() => Object.assign(booking, { name: 'changed' }), TypeError)
})

t.test('The routes answer lists in their envelope, entries bare, and 404 for an unknown entry', async (t) => {
  const [list, item] = catalogRoutes()
  const read = (route: typeof list, params: Record<string, string>) => route!.handler({ params } as never)
  const checkList = ajv.compile(list!.reply[200] as object)
  const checkItem = ajv.compile(item!.reply[200] as object)
  for (const kind of catalogKinds) {
    const listed = await read(list, { kind })
    if (isRefusal(listed)) throw new Error(`${kind} was refused`)
    t.same(listed.json, { kind, data: listCatalog(kind) })
    t.ok(checkList(listed.json), `${kind} ${ajv.errorsText(checkList.errors)}`)
    t.same(listed.headers, { 'cache-control': `private, max-age=${catalog.cacheSeconds}` })
    for (const entry of listCatalog(kind)) {
      const entryRead = await read(item, { kind, id: entry.id })
      if (isRefusal(entryRead)) throw new Error(`${entry.id} was refused`)
      t.equal(entryRead.json, entry)
      t.ok(checkItem(entry), `${entry.id} ${ajv.errorsText(checkItem.errors)}`)
    }
  }
  for (const kind of ['playbooks', '__proto__', 'constructor']) {
    t.match(await read(list, { kind }), { refused: 'resource.not_found' }, kind)
    t.match(await read(item, { kind, id: 'rcs' }), { refused: 'resource.not_found' }, kind)
    t.notOk(ajv.validate(list!.params as object, { kind }), `${kind} does not fit the path`)
  }
  for (const id of ['@svc/tool.webhook', 'booking', '__proto__']) {
    t.match(await read(item, { kind: 'playbook-templates', id }), { refused: 'resource.not_found' }, id)
  }
  for (const route of [list, item]) t.same(route!.access, { who: 'any', scopes: ['catalogs:read'] })
})

t.test('Prose loses the indentation of the code around it and keeps its own', async (t) => {
  const text = prose`
      First
        - inner

      Last
    `
  t.equal(text, 'First\n  - inner\n\nLast')
})
