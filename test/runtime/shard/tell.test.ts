/** Commands that are told to other owners. */
import t from 'tap'
import { openLog } from '../../../runtime/observe/log.js'
import type { AskOptions, Command, Performing, Query, Shards } from '../../../runtime/shard/contract.js'
import { openRegistry } from '../../../runtime/shard/registry.js'
import { tellEffect, tellPerformer } from '../../../runtime/shard/tell.js'

const { log } = openLog({ to: { write: () => {} } })

const isIdle: Query<{ readonly idle: boolean }, boolean> = { name: 'idle', read: (_reader, { idle }) => idle }
const watched: Command<{ readonly idle: boolean }, true> = { name: 'told', decide: () => true, idleWhen: isIdle }

function telling(isHere: boolean, told: Command<{ readonly idle: boolean }, true> = watched) {
  const asked: unknown[] = []
  const ids: unknown[] = []
  const shards = {
    async ask(_owner: string, _command: unknown, input: unknown, { id }: AskOptions) {
      asked.push(input)
      ids.push(id)
    },
    readHere: (_owner: string, query: typeof isIdle, input: { idle: boolean }) =>
      isHere ? query.read(undefined as never, input) : undefined,
  } as unknown as Shards
  const registry = openRegistry({ commands: [told], queries: [isIdle] } as never)
  const perform = tellPerformer(shards, registry, log)
  const tell = (input: { idle: boolean }) =>
    perform(tellEffect('org', told.name, input).payload as never, { id: 'one' } as Performing)
  return { asked, ids, tell }
}

t.test('What would change nothing is not told to an owner that is served here, and anything else is', async (t) => {
  const { asked, tell } = telling(true)
  await tell({ idle: true })
  t.same(asked, [])
  await tell({ idle: false })
  t.same(asked, [{ idle: false }])
})

t.test('Who is served elsewhere is told whatever there is, and decides it there', async (t) => {
  const { asked, tell } = telling(false)
  await tell({ idle: true })
  t.same(asked, [{ idle: true }])
})

t.test('What is told is remembered under the id of its effect, unless it may be decided twice', async (t) => {
  const once = telling(true)
  await once.tell({ idle: false })
  t.same(once.ids, ['one'])
  const often = telling(true, { ...watched, isRepeatable: true })
  await often.tell({ idle: false })
  t.same(often.ids, [undefined])
})
