/** The tools of one agent without a node: document, secrets and people in memory, calls over real connections. */
import type { Test } from 'tap'
import type { AgentDocument } from '../../../core/agent/index.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import type { ToolContext } from '../../../core/tools/contract.js'
import type { OutsideCall, OutsideOutcome } from '../../../core/turn/port.js'
import { type SecretSection, saveSecrets, sealSecrets } from '../../../mgmt/agents/secrets.js'
import type { AccessTokens } from '../../../mgmt/connections/tokens.js'
import { createTools } from '../../../mgmt/tools/index.js'
import type { ToolEgress } from '../../../mgmt/tools/port.js'
import { signedHeaders } from '../../../runtime/agentwebhook/sign.js'
import type { Clock } from '../../../runtime/clock.js'
import { systemClock } from '../../../runtime/clock.js'
import { type CallLimits, openCaller } from '../../../runtime/egress/call.js'
import type { Sealer } from '../../../runtime/secrets/sealer.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { createSmtpClient, type SmtpOptions } from '../../../runtime/smtp/client.js'
import { documentWith } from '../../core/tools/document.js'
import { createAgentStub } from '../agentstub.js'
import { agentRef, createPeopleFixture } from '../people/fixture.js'

/** Waits between attempts are over at once. */
const impatientClock: Clock = {
  ...systemClock,
  setTimer(_at, call) {
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}

export const context: ToolContext = {
  agent: agentRef,
  asid: 'as_1',
  channel: 'sms',
  address: '+12025550123',
  sessionId: 'se_1',
  turnId: 'tu_1',
  zone: 'Europe/Paris',
}

export interface ToolsFixtureOptions {
  readonly document?: Partial<AgentDocument>
  readonly limits?: Partial<CallLimits>
  readonly tokens?: AccessTokens
  readonly egress?: Partial<ToolEgress>
  readonly smtp?: Partial<SmtpOptions>
}

export function createToolsFixture(t: Test, options: ToolsFixtureOptions = {}) {
  const peopleFixture = createPeopleFixture()
  const { tx, people } = peopleFixture
  let document = documentWith(options.document ?? {})
  const agents = createAgentStub(() => document)
  const limits = { connectMs: 2_000, callMs: 5_000, answerBytes: 256 * 1024, ...options.limits }
  const caller = openCaller({ allowPrivate: true, clock: systemClock, limits })
  t.teardown(() => caller.close())
  const sealer: Sealer = {
    newDataKeyFor: () => new Uint8Array(),
    sealWith: () => new Uint8Array(),
    seal: async (_orgId, kind, id, text) => Buffer.from(JSON.stringify({ kind, id, text })),
    async open(_orgId, kind, id, sealed) {
      const stored = JSON.parse(Buffer.from(sealed).toString())
      if (stored.kind !== kind || stored.id !== id) throw new Error('sealed for something else')
      return stored.text
    },
  }
  let unavailable: Refusal | undefined
  const shards = {
    query: async (_owner: string, query: { read: (...given: unknown[]) => unknown }, input: unknown) =>
      unavailable ?? query.read(tx, input),
    execute: async (_owner: string, command: { decide: (...given: unknown[]) => unknown }, input: unknown) =>
      unavailable ?? command.decide(tx, input, peopleFixture.meta(2_000)),
  } as unknown as Shards
  const noTokens: AccessTokens = {
    accessToken: async () => ({ refused: 'connection.unusable' }),
    use: async () => ({ refused: 'connection.unusable' }),
  }
  const tools = createTools({
    agents,
    connections: { queries: { statuses: {} } as never, tokens: () => options.tokens ?? noTokens },
    people,
    conversations: {
      asidOf: (_agent, channel, address) => `${channel} ${address}`,
      consentOf: async () => ({}) as never,
    },
    toolEgress: {
      call: caller.call,
      sendBySmtp: createSmtpClient({ allowPrivate: true, clock: systemClock, limits, ...options.smtp }),
      sign: signedHeaders,
      ...options.egress,
    },
    mgmtUrl: () => 'https://manage.example',
    clock: impatientClock,
    timeScale: 1,
  })
  const open = tools.open({ shards, sealer })

  async function setSecrets(section: SecretSection, item: string, secrets: Record<string, string>): Promise<void> {
    const sealed = await sealSecrets(sealer, agentRef, { section, item, secrets })
    if (!isRefusal(sealed)) saveSecrets(tx, agentRef, sealed)
  }

  function attempt(more: Partial<OutsideCall> = {}): OutsideCall {
    return { id: 'call-1', signal: new AbortController().signal, isStillOwner: () => true, isRepeat: false, ...more }
  }

  return {
    ...open,
    tools,
    people: peopleFixture,
    tx,
    attempt,
    setSecrets,
    setDocument(changes: Partial<AgentDocument>): void {
      document = documentWith(changes)
    },
    get document() {
      return document
    },
    /** From now on no shard answers. */
    setUnavailable: (): void => {
      unavailable = { refused: 'service.unavailable' }
    },
    run: (
      name: string,
      given: Record<string, unknown>,
      more: Partial<OutsideCall> = {},
      about: Partial<ToolContext> = {},
    ): Promise<OutsideOutcome> => open.call({ ...context, ...about }, { name, arguments: given }, attempt(more)),
  }
}
export type ToolsFixture = ReturnType<typeof createToolsFixture>
