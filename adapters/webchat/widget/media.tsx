/** Pictures, videos, audio and files. Media that fails to load becomes a link. */
import { useState } from 'preact/hooks'
import type { Media } from '../frames.js'
import { Icon } from './icons.js'
import { Anchor } from './prose.js'
import { fileNameOf, openable } from './urls.js'

export function MediaView({ media }: { media: Media }) {
  const { url, kind, alt, thumbnailUrl } = media
  const [isBroken, setBroken] = useState(false)
  const onError = () => setBroken(true)
  if (isBroken || kind === 'file' || !openable(url)) return <FileLink url={url} name={alt ?? fileNameOf(url)} />
  const name = alt ?? fileNameOf(url)
  switch (kind) {
    case 'image':
      return (
        <Anchor url={url} class="picture" label={name}>
          <img
            src={url}
            alt={alt ?? ''}
            loading="lazy"
            decoding="async"
            referrerpolicy="no-referrer"
            onError={onError}
          />
        </Anchor>
      )
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: a message has no captions to give
        <video
          class="film"
          src={url}
          poster={thumbnailUrl}
          aria-label={name}
          controls
          playsInline
          preload="metadata"
          onError={onError}
        />
      )
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: a message has no captions to give
      return <audio class="sound" src={url} aria-label={name} controls preload="metadata" onError={onError} />
  }
}

export function FileLink({ url, name }: { url: string; name: string }) {
  return (
    <Anchor url={url} class="file">
      <span class="disc">
        <Icon name="file" />
      </span>
      <span class="name" dir="auto">
        {name}
      </span>
    </Anchor>
  )
}

/** The media at the top of a card. The card's title describes it, so it has no text of its own. */
export function CardPicture({ url }: { url: string }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken || !openable(url)) return null
  const isVideo = /\.(mp4|webm|mov|m4v)(?:[?#]|$)/i.test(url)
  return isVideo ? (
    // biome-ignore lint/a11y/useMediaCaption: a card has no captions to give
    <video class="lead" src={url} aria-label={fileNameOf(url)} controls playsInline preload="metadata" />
  ) : (
    <img
      class="lead"
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  )
}
