/** Connections of the org that tool bindings name: checked before a config is saved, and shown in its configStatus. */
import { type ConfigStatus, connectionOf, withConnection } from '../../../core/agent/index.js'
import { invalid, isRefusal, type Refusal } from '../../../core/errors.js'
import type { EndpointLookups, EndpointRequest } from '../endpoint.js'

interface BindingView {
  readonly toolId: string
  readonly config: Readonly<Record<string, unknown>>
  readonly configStatus: ConfigStatus
}

/**
 * Refuses a config that names a connection which the org does not have. The id that the binding has already is
 * accepted, since an import may have brought it.
 */
export async function checkConnection(
  request: EndpointRequest,
  lookups: EndpointLookups,
): Promise<Refusal | undefined> {
  const { toolId } = request.params
  const id = connectionOf(toolId!, (request.body as BindingView).config)
  if (id === undefined) return undefined
  const connections = await lookups.connections([id])
  if (isRefusal(connections)) return connections
  if (connections.has(id)) return undefined
  const stored = (await lookups.view('GET /tool-bindings/{toolId}', { params: request.params, query: {} })) as
    | BindingView
    | Refusal
  if (isRefusal(stored)) {
    return stored.refused === 'tool.not_found' ? unknownConnection(id) : stored
  }
  return connectionOf(stored.toolId, stored.config) === id ? undefined : unknownConnection(id)
}

function unknownConnection(id: string): Refusal {
  return invalid('config.connectionId', `names no connection of the organization: ${id}`)
}

type ConnectionLookup = Pick<EndpointLookups, 'connections'>

async function completeAll(views: readonly BindingView[], lookups: ConnectionLookup): Promise<BindingView[] | Refusal> {
  const ids = views.flatMap(({ toolId, config }) => connectionOf(toolId, config) ?? [])
  if (ids.length === 0) return [...views]
  const connections = await lookups.connections([...new Set(ids)])
  if (isRefusal(connections)) return connections
  return views.map((view) => {
    const id = connectionOf(view.toolId, view.config)
    if (id === undefined) return view
    return { ...view, configStatus: withConnection(view.configStatus, id, connections.get(id) ?? 'not-connected') }
  })
}

export async function completeBinding(view: unknown, lookups: ConnectionLookup): Promise<unknown> {
  const completedViews = await completeAll([view as BindingView], lookups)
  return isRefusal(completedViews) ? completedViews : completedViews[0]
}

export async function completeBindings(view: unknown, lookups: ConnectionLookup): Promise<unknown> {
  const list = view as { readonly data: readonly BindingView[] }
  const data = await completeAll(list.data, lookups)
  return isRefusal(data) ? data : { ...list, data }
}
