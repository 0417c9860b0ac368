/** The command line within the test's own process, and a real node on its sockets for it to look after. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { run } from '../../../runtime/cli/program.js'
import { subcommands } from '../../../runtime/cli/subcommands.js'
import { systemClock } from '../../../runtime/clock.js'
import { readConfig } from '../../../runtime/config/config.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import { runNode } from '../../../runtime/node/listen.js'
import { createLog } from '../../../runtime/observe/log.js'
import { testKey } from '../../harness/process.js'

export const exitCode = { done: 0, failed: 1, wrongUsage: 4 } as const

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What was printed, as JSON; throws when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects and fails if it is not there.
  readonly json: any
}

export type Env = Record<string, string>

export async function parley(args: readonly string[], env: Env = {}): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  const io = {
    env,
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  }
  const code = await run(args, io, subcommands)
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout)
    },
  }
}

export function scratch(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export interface RealNode {
  /** What a shell needs to reach it. */
  readonly env: Env
  /** Where agents send. */
  readonly gateway: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects and fails if it is not there.
  call(method: string, path: string, body?: unknown): Promise<any>
  stop(): Promise<void>
}

export async function openNode(t: Test, env: Env = {}): Promise<RealNode> {
  prepareUws(false)
  const read = readConfig({
    PARLEY_DATA_DIR: join(scratch(t), 'data'),
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_MGMT_PORT: '0',
    PARLEY_SHARDS: '2',
    PARLEY_BOOTSTRAP_KEY: testKey,
    PARLEY_EMULATOR: 'false',
    ...env,
  })
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const { log } = createLog({ destination: { write: () => {} } })
  const running = await runNode(read.config, { clock: systemClock, log })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= running.stop()
    return stopping
  }
  t.teardown(stop)
  return {
    env: { PARLEY_URL: running.urls.mgmt, PARLEY_KEY: testKey },
    gateway: running.urls.gateway,
    async call(method, path, body) {
      const answer = await fetch(`${running.urls.mgmt}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    stop,
  }
}

/** An agent with an opener that asks for a city. */
export async function createAgent(node: RealNode): Promise<string> {
  const agentPath = '/orgs/demo/agents/desk'
  await node.call('POST', '/orgs/demo/agents', { name: 'Desk', id: 'desk' })
  await node.call('POST', `${agentPath}/channels`, { channel: 'rcs', mode: 'managed', inputs: {} })
  const body = 'Hi {person.firstName|there}, {person.customFields.city} is ready.'
  await node.call('POST', `${agentPath}/message-templates`, { id: 'welcome', name: 'Welcome', body })
  const outreach = { id: 'welcome', name: 'Welcome', class: 'service', openerTemplateId: 'welcome', inputs: ['city'] }
  await node.call('POST', `${agentPath}/outreach`, outreach)
  return agentPath
}

/** From now on the agent is played by what listens there, and not by Parley. */
export async function setWebhook({ call, gateway }: RealNode, agentPath: string, webhookUrl: string): Promise<void> {
  const { accessToken } = await call('POST', `${agentPath}/gateway/_rotateToken`)
  const answer = await fetch(`${gateway}/v4/webhook`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ webhookUrl }),
  })
  if (!answer.ok) throw new Error(`the webhook was refused with ${answer.status}: ${await answer.text()}`)
}
