/** A node with agents to configure, and calls that begin below one of them. */
import { openTestNode, type Response, type TestNode, type TestNodeOptions } from '../../harness/node.js'

export type Call = (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Response>

export interface AgentsFixture {
  readonly node: TestNode
  /** Makes an agent; its id is given back with calls below it. */
  agent(more?: object): Promise<{ id: string; call: Call }>
  /** Calls below an agent of that id, with any token. */
  callAs(token: string, id: string): Call
}

export async function openAgentsFixture(options: TestNodeOptions = {}): Promise<AgentsFixture> {
  const node = await openTestNode(options)
  const agents = '/v1/orgs/demo/agents'
  let count = 0
  const callAs =
    (token: string, id: string): Call =>
    (method, path, json, headers) =>
      node.mgmt(method, `${agents}/${id}${path}`, { token, json, headers })
  return {
    node,
    callAs,
    async agent(more = {}) {
      const id = `agent-${++count}`
      const { status } = await node.mgmt('POST', agents, { token: node.key, json: { name: id, id, ...more } })
      if (status !== 201) throw new Error(`an agent could not be made: ${status}`)
      return { id, call: callAs(node.key, id) }
    },
  }
}

export const fieldsOf = ({ json }: Response): string[] =>
  (json.errors ?? []).map(({ field }: { field: string }) => field)
