/** Media by its kind: what a channel takes is shown there, and everything else is a link with its name and size. */
import t from 'tap'
import type { ContentMessage, Part } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { Traits } from '../../../core/channel/traits.js'
import { type ChannelName, channelNames } from '../../../core/channelnames.js'
import { isRefusal } from '../../../core/errors.js'
import { fileLabel } from '../../../core/render/filelabel.js'
import { readerFor, withHostedMedia } from '../../../core/render/hostedmedia.js'
import { render } from '../../../core/render/render.js'
import { hostMedia, isHosted } from '../../../runtime/delivery/media.js'
import type { Media, RehostedMedia, Unreachable } from '../../../runtime/media/contract.js'

const megabyte = 1_000_000
const reader = { locale: 'en-US', zone: 'UTC' }
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

type Rehosted = Pick<RehostedMedia, 'type' | 'bytes'> | Unreachable

/** The message with its files hosted, as the channel can show it. */
async function hostOn(media: Pick<Media, 'rehost'>, message: ContentMessage, traits: Traits) {
  const files = await hostMedia(media, message)
  return isHosted(files) ? withHostedMedia(message, files, traits) : files
}

/** The blocks that a channel gets of one media part whose content is what was found. */
async function blocksOf(
  channel: ChannelName,
  kind: 'image' | 'video' | 'audio' | 'file',
  name: string,
  rehosted: Rehosted,
) {
  const mediaUrl = `https://x.example/${name}`
  const message: ContentMessage = { spec: 'amf/1', parts: [{ type: 'media', kind, mediaUrl }] }
  const ending = name.split('.').at(-1)
  const media = {
    rehost: async () =>
      'reason' in rehosted ? rehosted : { ...rehosted, url: `https://gw.example/v4/media/abc.${ending}` },
  }
  const hosted = await hostOn(media, message, traitsOf(channel))
  if (isRefusal(hosted)) throw new Error(hosted.refused)
  if ('reason' in hosted) return hosted
  const links = hosted.links && { links: hosted.links }
  const { blocks, loss } = render(hosted.message, traitsOf(channel), { ...reader, ...links })
  t.same(loss, [])
  return blocks
}

t.test('Every kind of media is shown up to the channel’s size limit for it', async (t) => {
  const cases: [ChannelName, 'image' | 'video' | 'audio' | 'file', string, string, number][] = [
    ['messengerA', 'image', 'a.png', 'image/png', 5 * megabyte],
    ['messengerA', 'video', 'a.mp4', 'video/mp4', 16 * megabyte],
    ['messengerA', 'audio', 'a.mp3', 'audio/mpeg', 16 * megabyte],
    ['messengerA', 'file', 'a.pdf', 'application/pdf', 100 * megabyte],
    ['messengerA', 'file', 'a.docx', docx, 100 * megabyte],
    ['messengerB', 'image', 'a.png', 'image/png', 8 * megabyte],
    ['messengerB', 'video', 'a.mp4', 'video/mp4', 25 * megabyte],
    ['rcs', 'file', 'a.pdf', 'application/pdf', 100 * megabyte],
  ]
  for (const [channel, kind, name, type, most] of cases) {
    t.match(
      await blocksOf(channel, kind, name, { type, bytes: most }),
      [{ kind: 'media', media: { kind } }],
      `${channel} ${name}`,
    )
    const label = fileLabel(`https://x.example/${name}`, most + 1)
    const [block] = (await blocksOf(channel, kind, name, { type, bytes: most + 1 })) as unknown as { text: string }[]
    t.equal(
      block?.text,
      `${label}\nhttps://gw.example/v4/media/abc.${name.split('.').at(-1)}`,
      `${channel} ${name} too large`,
    )
  }
})

t.test('Media that the channel does not accept, or that is not stored, is a link with its name', async (t) => {
  const texts = async (...args: Parameters<typeof blocksOf>) =>
    ((await blocksOf(...args)) as unknown as { text?: string }[]).map(({ text }) => text)
  t.same(await texts('messengerA', 'file', 'all.zip', { type: 'application/zip', bytes: 2_345 }), [
    'all.zip (2 kB)\nhttps://gw.example/v4/media/abc.zip',
  ])
  t.same(await texts('sms', 'file', 'Menu%20for%20May.docx', { type: docx, bytes: 1_240_000 }), [
    'Menu for May.docx (1.2 MB)\nhttps://gw.example/v4/media/abc.docx',
  ])
  t.same(await texts('sms', 'image', 'a.png', { type: 'image/png', bytes: 9 }), ['https://gw.example/v4/media/abc.png'])
  for (const why of ['type', 'size'] as const) {
    const refused = { reason: 'mediaUnreachable', why, detail: 'no' } as const
    t.same(await texts('messengerA', 'image', 'logo.svg', refused), ['logo.svg\nhttps://x.example/logo.svg'], why)
  }
  const away = { reason: 'mediaUnreachable', why: 'source', detail: 'It is gone.' } as const
  t.same(
    await blocksOf('messengerA', 'image', 'a.png', away),
    away,
    'media that is sent for itself and cannot be fetched is refused',
  )
})

const there = 'https://x.example/there.png'
const unreachable = 'https://x.example/gone.png'
const option = (id: string, mediaUrl: string) => ({ id, label: `Option ${id}`, mediaUrl })
const partsBesideText: Readonly<Record<string, Part>> = {
  card: { type: 'card', card: { title: 'A room', mediaUrl: unreachable } },
  carousel: {
    type: 'carousel',
    cards: [
      { title: 'A room', mediaUrl: there },
      { title: 'Another', mediaUrl: unreachable },
    ],
  },
  options: {
    type: 'ask.choice',
    intentId: 'a',
    prompt: 'Which?',
    options: [option('a', there), option('b', unreachable)],
  },
  showcase: {
    type: 'showcase',
    intentId: 'b',
    items: [
      { id: 'a', title: 'A', mediaUrl: there },
      { id: 'b', title: 'B', mediaUrl: unreachable },
    ],
  },
  thumbnail: { type: 'media', kind: 'video', mediaUrl: 'https://x.example/film.mp4', thumbnailUrl: unreachable },
}

t.test('A picture beside text that cannot be fetched is a link, and the rest is sent as usual', async (t) => {
  const media: Pick<Media, 'rehost'> = {
    rehost: async (url) =>
      url === unreachable
        ? { reason: 'mediaUnreachable', why: 'source', detail: 'It is gone.' }
        : { url, type: url.endsWith('4') ? 'video/mp4' : 'image/png', bytes: 9 },
  }
  for (const channel of channelNames) {
    const traits = traitsOf(channel)
    for (const [name, part] of Object.entries(partsBesideText)) {
      const hosted = await hostOn(media, { spec: 'amf/1', parts: [part] }, traits)
      if (isRefusal(hosted) || 'reason' in hosted) throw new Error(`${name} is refused`)
      t.same([...(hosted.missing ?? [])], [[unreachable, 'It is gone.']])
      const { blocks, loss } = render(hosted.message, traits, { ...reader, links: hosted.links! })
      t.same(loss, [], `${channel} ${name}`)
      const blocksText = JSON.stringify(blocks)
      t.notMatch(blocksText, `"mediaUrl":"${unreachable}"`, `${channel} ${name}`)
      t.notMatch(blocksText, `Url":"${unreachable}"`, `${channel} ${name}`)
      t.match(blocksText, /gone\.png/, `${channel} ${name}`)
    }
  }
})

t.test('A stored file has the name that its sender gave it', async (t) => {
  const storedUrl = 'https://gw.example/v4/media/gjx802.docx'
  const media = { rehost: async () => ({ url: storedUrl, type: docx, bytes: 9 }) }
  for (const [mediaUrl, name] of [
    ['https://x.example/Menu%20for%20May.docx?v=2', 'Menu for May.docx'],
    ['https://x.example/MENU.DOCX', 'MENU.DOCX'],
    ['https://x.example/download?id=7', 'download.docx'],
    ['https://x.example/', 'File.docx'],
  ] as const) {
    const message: ContentMessage = { spec: 'amf/1', parts: [{ type: 'media', kind: 'file', mediaUrl }] }
    const hosted = await hostOn(media, message, traitsOf('messengerA'))
    if (isRefusal(hosted) || 'reason' in hosted) throw new Error('it is refused')
    const { blocks } = render(hosted.message, traitsOf('messengerA'), readerFor(reader, hosted))
    t.match(blocks, [{ kind: 'media', media: { url: storedUrl, name } }])
  }
})
