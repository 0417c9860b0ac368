/** The channels catalog shows how every provider is bound that an installation has, those of partners among them. */
import t from 'tap'
import { catalogKinds, listCatalog } from '../../../core/catalogs/index.js'
import { isRefusal } from '../../../core/errors.js'
import { catalogRoutes, type PartnerForm } from '../../../mgmt/catalogs/routes.js'
import { compileCheck } from '../../../runtime/http/validator.js'
import { generateAdapter, loadAdapter } from '../../adapters/kit/generatedadapter.js'

const { adapter } = await loadAdapter(generateAdapter(t, 'sms', 'pigeon').dir)
const { form } = adapter.descriptor

type Answer = { readonly json: { readonly data: { readonly id: string; readonly unmanaged: unknown[] }[] } }

function reading(forms?: readonly PartnerForm[]) {
  const [list, entry] = catalogRoutes(forms)
  const run = (route: unknown, params: object) =>
    (route as { handler(call: object): Answer }).handler({ params, query: {} })
  return {
    list: (kind: string) => run(list, { kind }),
    entry: (kind: string, id: string) =>
      run(entry, { kind, id }) as unknown as { json: Answer['json']['data'][number] },
    shape: (list as unknown as { reply: Record<number, Parameters<typeof compileCheck>[0]> }).reply[200]!,
  }
}

t.test('A partner’s form follows the built-in ones, in the list and in the entry', async (t) => {
  const { list, entry, shape } = reading([{ channel: 'sms', form }])
  const { unmanaged } = entry('channels', 'sms').json
  const own = listCatalog('channels').find(({ id }) => id === 'sms')!.unmanaged
  t.same(unmanaged, [...own, form])
  t.same(list('channels').json.data.find(({ id }) => id === 'sms')?.unmanaged, unmanaged)
  t.same(
    entry('channels', 'rcs').json,
    listCatalog('channels').find(({ id }) => id === 'rcs'),
    'and nowhere else',
  )
  t.equal(compileCheck(shape)(list('channels').json), undefined, 'the list is as it is documented')
})

t.test('A form that the catalog already has is listed once, as in the catalog', async (t) => {
  const own = listCatalog('channels').find(({ id }) => id === 'sms')!.unmanaged
  const { entry } = reading(own.map((each) => ({ channel: 'sms' as const, form: { ...each, name: 'Another' } })))
  t.same(entry('channels', 'sms').json.unmanaged, own)
})

t.test('Without partners the catalogs are the built-in ones', async (t) => {
  const { list, entry } = reading()
  for (const kind of catalogKinds) {
    t.same(list(kind).json, { kind, data: listCatalog(kind) })
    for (const { id } of listCatalog(kind)) t.match(entry(kind, id).json, { id })
  }
  t.ok(isRefusal(entry('channels', 'telex')))
  t.ok(isRefusal(entry('channels', 'constructor')))
})
