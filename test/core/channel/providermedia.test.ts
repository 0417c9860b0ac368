/** Held media gets an address before anybody else sees it, and everything else stays as it was told. */
import fc from 'fast-check'
import t from 'tap'
import { type ReportedInbound, withPublicUrls } from '../../../core/channel/providermedia.js'
import { webUrl } from '../../harness/arbitraries.js'

const addressOf = (mediaRef: string) => `https://gateway.example/${mediaRef.length}`

t.test('Each media reference is replaced by a URL, and its known fields stay', async (t) => {
  const reported: ReportedInbound = {
    kind: 'content',
    content: {
      text: 'Look',
      media: [
        { mediaRef: 'one', type: 'image/png', name: 'a.png' },
        { url: 'https://a.example/b' },
        { mediaRef: 'three' },
      ],
    },
  }
  t.same(withPublicUrls(reported, addressOf), {
    kind: 'content',
    content: {
      text: 'Look',
      media: [
        { url: 'https://gateway.example/3', type: 'image/png', name: 'a.png' },
        { url: 'https://a.example/b' },
        { url: 'https://gateway.example/5' },
      ],
    },
  })
})

t.test('Items without media stay unchanged, and no reference is sealed for them', async (t) => {
  const never = () => t.fail('an address was made') as never
  const open = fc.oneof(
    fc.record({ kind: fc.constant('tap' as const), messageId: fc.string(), tapIndex: fc.nat() }),
    fc.record({
      kind: fc.constant('content' as const),
      content: fc.record({ text: fc.string(), media: fc.array(fc.record({ url: webUrl() })) }, { requiredKeys: [] }),
    }),
  )
  fc.assert(
    fc.property(open, (reported) => JSON.stringify(withPublicUrls(reported, never)) === JSON.stringify(reported)),
  )
})
