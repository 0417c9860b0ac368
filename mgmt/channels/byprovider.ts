/** Index from provider to bindings, in every shard, for adapters that keep connections open to a provider. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Query, Shards, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Binding, BindingRef } from './store.js'

const providerTable = table<[provider: string, orgId: string, agentId: string, bindingId: string], true>(
  'channels.provider',
)

const keyOf = ({ provider, orgId, agentId, id }: Binding) =>
  [provider, orgId, agentId, id] as [string, string, string, string]

/** The row exists as long as the binding does, in any status. */
export function indexProvider(tx: Tx, binding: Binding): void {
  tx.put(providerTable, keyOf(binding), true)
}

export function unindexProvider(tx: Tx, binding: Binding): void {
  tx.remove(providerTable, keyOf(binding))
}

export const bindingsOfProviders: Query<{ readonly providers: readonly string[] }, BindingRef[]> = {
  name: 'channels.ofProviders',
  read: (reader, { providers }) =>
    providers.flatMap((provider) =>
      Array.from(reader.range(providerTable, { prefix: [provider] }), ({ key: [, orgId, agentId, bindingId] }) => {
        return { orgId, agentId, bindingId }
      }),
    ),
}

export async function findBindingsOfProviders(
  shards: Pick<Shards, 'queryAll'>,
  providers: readonly string[],
): Promise<readonly BindingRef[] | Refusal> {
  const perShard = await shards.queryAll(bindingsOfProviders, { providers })
  return isRefusal(perShard) ? perShard : perShard.flat()
}
