/** The first minute, the first send and the first campaign of the README, pasted into a real shell against a node. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { waitUntil } from '../harness/clock.js'
import { startNode, testKey } from '../harness/process.js'

const run = promisify(execFile)
const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8')
const blockWith = (text: string) => readme.split('```').find((block) => block.includes(text)) ?? ''
const agent = blockWith('createServer').replace(/^js\n/, '')
const conversation = blockWith('api() {')
const sends = blockWith('integrations/journey')
const campaign = blockWith('campaign watch')

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '1000' })
const folder = mkdtempSync(join(tmpdir(), 'parley-readme-'))
t.teardown(async () => {
  await node.clean()
  rmSync(folder, { recursive: true, force: true })
})

/** What the README says of ports and secrets, with those of this node. */
function here(text: string): string {
  return text
    .replaceAll('8081/', `${new URL(node.mgmt).port}/`)
    .replaceAll('8080/', `${new URL(node.gateway).port}/`)
    .replaceAll('9000', String(agentPort))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
const agentPort = await freePort()

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.end() !== undefined))
    socket.once('error', () => resolve(false))
  })
}

/** The id or token in an answer goes where the README says that it does. */
function withVariables(text: string): string {
  const lines = here(text).split('\n')
  return lines
    .map((line, at) => {
      const next = lines[at + 1] ?? ''
      const exported = /^export (BINDING|TOKEN)=/.exec(next)?.[1]
      if (/^export (BINDING|TOKEN)=/.test(line)) return ''
      if (!exported) return line
      const name = exported === 'TOKEN' ? 'accessToken' : 'id'
      return `answer=$(${line}); echo "$answer"; export ${exported}=$(printf '%s' "$answer" | sed -E 's/.*"${name}":"([^"]+)".*/\\1/')`
    })
    .join('\n')
}

/** Answers that are problems. */
const refusedIn = (printed: string) =>
  printed.split('\n').filter((line) => line.startsWith('{') && JSON.parse(line).code !== undefined)

const shell = (script: string) => run('bash', ['-c', `export KEY=${testKey}\n${script}`], { cwd: folder })

t.test('The first conversation of the README works as written', async (t) => {
  writeFileSync(join(folder, 'agent.mjs'), here(agent))
  const webhook = execFile(process.execPath, [join(folder, 'agent.mjs')])
  t.teardown(() => webhook.kill())
  await waitUntil(() => isListening(agentPort))
  const { stdout } = await shell(withVariables(conversation))
  t.same(refusedIn(stdout), [], 'nothing was refused')
  const show = `${/^api\(\).*$/m.exec(conversation)![0]}\n${conversation.split('\n').findLast((line) => line.includes('emulator/shown'))}`
  await waitUntil(async () => (await shell(here(show))).stdout.includes('You said'))
  const { stdout: output } = await shell(here(show))
  t.match(output, 'You said \\"Hello\\".')
  t.match(output, 'Book a table')
})

t.test('The first send of a journey in the README works when pasted, and reaches the phone', async (t) => {
  const api = /^api\(\).*$/m.exec(conversation)![0]
  const { stdout } = await shell(`${api}\n${here(sends)}`)
  t.same(refusedIn(stdout), [], 'nothing was refused')
  t.match(stdout, '"outcome":"queued"')
  t.match(stdout, '"unknownInputs":[]', 'the first send ends without a warning')
  t.match(stdout, '"contract":"journey/1"')
  const list = `${api}\nA=8081/v1/orgs/demo/agents/harbor-desk\napi GET $KEY $A/outreach/sends`
  await waitUntil(async () => (await shell(here(list))).stdout.includes('"state":"sent"'))
  const { stdout: output } = await shell(`${api}\n${here('api GET $KEY 8081/v1/system/emulator/shown')}`)
  t.match(output, 'Hi Ann, Bergen is ready for you.')
})

t.test('The first campaign in the README works when pasted, from the file of people to its end', async (t) => {
  const commandLine = `PARLEY_URL=${node.mgmt} ${process.execPath} ${fileURLToPath(new URL('../../runtime/cli/main.js', import.meta.url))}`
  const ids = new Map<string, string>()
  for (const line of here(campaign).split('\n')) {
    const script = line
      .replace('npm run --silent parley --', commandLine)
      .replace(/(imp|cm)_…/g, (_, kind: string) => ids.get(kind)!)
    const variable = here('A=8081/v1/orgs/demo/agents/harbor-desk')
    const { stdout } = await shell(`${variable}\nexport PARLEY_KEY=$KEY\n${script}`)
    for (const [id, kind] of stdout.matchAll(/\b(imp|cm)_\w+/g)) ids.set(kind!, id)
    if (script.includes('campaign stage')) t.match(stdout, '2 of 2 people will be sent to')
    if (script.includes('campaign watch')) t.match(stdout, /100 %\s+2 of 2\s+completed/)
  }
  const api = /^api\(\).*$/m.exec(conversation)![0]
  const { stdout: output } = await shell(`${api}\n${here('api GET $KEY 8081/v1/system/emulator/shown')}`)
  t.match(output, 'Hi Bo, Oslo is ready for you.')
})
