/** Which bindings a provider has, in every shard: for those who keep lines open to providers that are connected to. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Query, Shards, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { Binding, BindingRef } from './store.js'

const providerTable = table<[provider: string, orgId: string, agentId: string, bindingId: string], true>(
  'channels.provider',
)

const keyOf = ({ provider, orgId, agentId, id }: Binding) =>
  [provider, orgId, agentId, id] as [string, string, string, string]

/** Kept as long as the binding is there, whatever its status. */
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
