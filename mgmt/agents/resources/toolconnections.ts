/** Connections of the org that tool bindings name: checked before a config is kept, and shown in its configStatus. */
import { type ConfigStatus, connectionOf, withConnection } from '../../../core/agent/index.js'
import { invalid, isRefusal, type Refusal } from '../../../core/errors.js'
import type { Asked, LookUp } from '../resource.js'

interface BindingView {
  readonly toolId: string
  readonly config: Readonly<Record<string, unknown>>
  readonly configStatus: ConfigStatus
}

/**
 * Refuses a config that names a connection the org does not have. The id that the binding has already may be sent back,
 * since an import may have brought it.
 */
export async function checkConnection(asked: Asked, ways: LookUp): Promise<Refusal | undefined> {
  const { toolId } = asked.params
  const id = connectionOf(toolId!, (asked.body as BindingView).config)
  if (id === undefined) return undefined
  const known = await ways.connections([id])
  if (isRefusal(known)) return known
  if (known.has(id)) return undefined
  const kept = (await ways.view('GET /tool-bindings/{toolId}', { params: asked.params, query: {} })) as
    | BindingView
    | Refusal
  if (isRefusal(kept)) {
    return kept.refused === 'tool.not_found' ? unknownConnection(id) : kept
  }
  return connectionOf(kept.toolId, kept.config) === id ? undefined : unknownConnection(id)
}

function unknownConnection(id: string): Refusal {
  return invalid('config.connectionId', `names no connection of the organization: ${id}`)
}

type Ways = Pick<LookUp, 'connections'>

async function completeAll(views: readonly BindingView[], ways: Ways): Promise<BindingView[] | Refusal> {
  const ids = views.flatMap(({ toolId, config }) => connectionOf(toolId, config) ?? [])
  if (ids.length === 0) return [...views]
  const known = await ways.connections([...new Set(ids)])
  if (isRefusal(known)) return known
  return views.map((view) => {
    const id = connectionOf(view.toolId, view.config)
    if (id === undefined) return view
    return { ...view, configStatus: withConnection(view.configStatus, id, known.get(id) ?? 'not-connected') }
  })
}

export async function completeBinding(view: unknown, ways: Ways): Promise<unknown> {
  const completed = await completeAll([view as BindingView], ways)
  return isRefusal(completed) ? completed : completed[0]
}

export async function completeBindings(view: unknown, ways: Ways): Promise<unknown> {
  const list = view as { readonly data: readonly BindingView[] }
  const data = await completeAll(list.data, ways)
  return isRefusal(data) ? data : { ...list, data }
}
