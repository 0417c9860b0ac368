/** Pictures that people send over Twilio: the account is proved to Twilio alone. */
import t from 'tap'
import { mediaAt, openMedia } from '../../../../adapters/sms/twilio/media.js'
import { adapter as limits } from '../../../../core/limits/index.js'
import { createTestProvider } from '../../messenger/provider.js'
import { address, auth, pictureAt } from './samples.js'

t.test('Media stored at Twilio is fetched with the credentials of the account', async (t) => {
  const { sendContext, requests } = createTestProvider(auth, address, 'silence')
  t.same(mediaAt(pictureAt, 'image/jpeg', auth), [{ mediaRef: pictureAt, type: 'image/jpeg' }])
  t.same(mediaAt(pictureAt, '', auth), [{ mediaRef: pictureAt }])
  const basic = Buffer.from(`${auth.accountSid}:${auth.authToken}`).toString('base64')
  t.same(await openMedia(pictureAt, sendContext), {
    kind: 'at',
    url: pictureAt,
    headers: { authorization: `Basic ${basic}` },
  })
  t.same(requests, [], 'no call is made')
})

t.test('Media stored elsewhere keeps its URL, and never gets the credentials', async (t) => {
  const { sendContext } = createTestProvider(auth, address, 'silence')
  const elsewhere = ['https://twilio.com.example/ME1', 'https://nottwilio.com/ME1', pictureAt.replace('https', 'http')]
  for (const url of elsewhere) {
    t.same(mediaAt(url, '', auth), [{ url }])
    t.match(await openMedia(url, sendContext), { kind: 'refused' }, url)
  }
  t.same(mediaAt('', 'image/png', auth), [])
  t.same(mediaAt(`${pictureAt}${'x'.repeat(limits.mediaRefChars)}`, '', auth), [], 'nor what no address can hold')
})
