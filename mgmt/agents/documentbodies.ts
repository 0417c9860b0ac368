/** Long bodies of an agent's document: parsed and checked by the shape of their endpoint, away from the event loop. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { type Bodies, yamlTypes } from './bodies.js'
import type { AgentDocuments } from './documentoperations.js'
import { type Endpoint, endpointNameOf } from './endpoint.js'
import { agentEndpoints } from './endpoints/index.js'

export interface LongBody {
  readonly endpoint: Endpoint
  readonly bytes: Uint8Array
  /** The content type; JSON unless it is one of YAML. */
  readonly type: string
}

/** The bytes cannot be used afterwards. */
export async function readLongBody(
  bodies: Bodies,
  orgId: string,
  { endpoint, bytes, type }: LongBody,
): Promise<{ readonly value: unknown; readonly isShaped: true } | Refusal> {
  const as = endpoint.longBody === 'list' ? undefined : endpoint.longBody
  const isYaml = yamlTypes.some((each) => type.toLowerCase().startsWith(each))
  const shape = { schema: endpoint.body, at: endpoint.bodyAt, as, depth: endpoint.bodyDepth }
  const read = await bodies.read(orgId, bytes, isYaml ? 'yaml' : 'json', shape)
  return isRefusal(read) ? read : { value: read.value, isShaped: true }
}

const importName = 'POST /import'
const importEndpoint = agentEndpoints.find((endpoint) => endpointNameOf(endpoint) === importName)!

/** Imports a YAML document into an agent, all of it or nothing, as `POST A/import` does; no address is geocoded. */
export type ImportYaml = (shards: Shards, agentRef: AgentRef, yaml: Uint8Array) => Promise<true | Refusal>

export function createImportYaml(documents: AgentDocuments, bodies: Bodies): ImportYaml {
  return async (shards, { orgId, agentId }, yaml) => {
    const read = await readLongBody(bodies, orgId, { endpoint: importEndpoint, bytes: yaml, type: yamlTypes[0] })
    if (isRefusal(read)) return read
    const request = { params: {}, query: {}, body: read.value, isShaped: read.isShaped }
    const input = { orgId, agentId, endpointName: importName, request }
    const written = await shards.execute(formatAgentKey({ orgId, agentId }), documents.commands.write, input)
    return isRefusal(written) ? written : true
  }
}
