/** Files that people share on Slack: the token of the bot is for Slack alone. */
import t from 'tap'
import { mediaFrom, openMedia } from '../../../../adapters/workchat/slack/media.js'
import { adapter as limits } from '../../../../core/limits/index.js'
import { createTestProvider } from '../../messenger/provider.js'
import { dm, fileAt, slackAuth } from './samples.js'

const elsewhere = [
  'https://slack.com.example/a.png',
  'https://filesslack.com/a.png',
  'https://example.com/slack.com/a.png',
  'https://files.slack.com@example.com/a.png',
  'https://files.slack.com:8443/a.png',
  'http://files.slack.com/a.png',
]

t.test('A file stored at Slack is fetched with the token of the bot', async (t) => {
  const { sendContext, requests } = createTestProvider(slackAuth, dm, 'silence')
  for (const url of [fileAt, 'https://slack.com/files/a', 'https://a.b.slack.com/c']) {
    t.same(mediaFrom({ url_private: url, mimetype: 'image/png', name: 'a.png' }, slackAuth), [
      { mediaRef: url, type: 'image/png', name: 'a.png' },
    ])
    const headers = { authorization: `Bearer ${slackAuth.botToken}` }
    t.same(await openMedia(url, sendContext), { kind: 'at', url, headers })
  }
  t.same(requests, [], 'no call is made')
})

t.test('A file stored elsewhere keeps its URL, and never gets the token', async (t) => {
  const { sendContext } = createTestProvider(slackAuth, dm, 'silence')
  for (const url of elsewhere) {
    t.same(mediaFrom({ url_private: url }, slackAuth), [{ url }])
    t.match(await openMedia(url, sendContext), { kind: 'refused' }, url)
  }
})

t.test('Files at the API address of the operator are fetched with the token, too', async (t) => {
  const auth = { ...slackAuth, apiUrl: 'http://127.0.0.1:9000/slack/api' }
  const url = 'http://127.0.0.1:9000/slack/files-pri/T-F/a'
  t.same(mediaFrom({ url_private: url }, auth), [{ mediaRef: url }])
  t.same(mediaFrom({ url_private: url }, slackAuth), [{ url }])
  const { sendContext } = createTestProvider(auth, dm, 'silence')
  t.match(await openMedia(url, sendContext), { kind: 'at', url })
})

t.test('An entry that is not a file, or has too long a name, is omitted', async (t) => {
  const long = `${fileAt}${'x'.repeat(limits.mediaRefChars)}`
  for (const file of [null, 'x', {}, { url_private: 7 }, { url_private: '' }, { url_private: long }])
    t.same(mediaFrom(file, slackAuth), [])
})
