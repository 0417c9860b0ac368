/** The chat itself: who it is with, what was said, and where to write. The same on a page of its own and over another. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Chat, ChatState } from './chat.js'
import { Composer } from './composer.js'
import { Icon } from './icons.js'
import type { LinkState } from './link.js'
import { openable } from './links.js'
import { Log } from './log.js'
import type { ChatLook } from './look.js'
import { Anchor } from './prose.js'
import { words } from './words.js'

interface PanelProps {
  chat: Chat
  state: ChatState
  look: ChatLook
  field: RefObject<HTMLTextAreaElement | null>
  /** Absent on a page of its own, which is always open. */
  close?: () => void
}

/** What is wrong with the line, where the visitor should know. */
const notices: Partial<Record<LinkState, string>> = {
  offline: words.offline,
  elsewhere: words.elsewhere,
  gone: words.gone,
}

/** Whether nothing can be written: the site is refused, or the chat is closed. */
export const isOff = (link: LinkState) => link === 'elsewhere' || link === 'gone'

export function Panel({ chat, state, look, field, close }: PanelProps) {
  const notice = useLasting(notices[state.link])
  const Heading = close ? 'h2' : 'h1'
  return (
    <>
      <header>
        <Face look={look} />
        <div class="who">
          <Heading dir="auto">{look.title}</Heading>
          {look.privacyUrl && (
            <p>
              <Anchor url={look.privacyUrl}>{words.privacy}</Anchor>
            </p>
          )}
        </div>
        {close && (
          <button type="button" class="round quiet" aria-label={words.close} onClick={close}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class={notice ? 'line-notice' : 'line-notice unseen'}>
        <p role="status">{notice ?? (state.transcript.caughtUp || state.link === 'idle' ? '' : words.connecting)}</p>
        {notice && state.link === 'offline' && (
          <button type="button" class="plain" onClick={chat.tryNow}>
            {words.tryNow}
          </button>
        )}
      </div>
      <Log chat={chat} state={state} look={look} toComposer={() => field.current?.focus()} />
      <Composer chat={chat} field={field} isOff={isOff(state.link)} />
    </>
  )
}

/** Lines break for a moment all the time; what is over by then is not worth saying. */
const lastingMs = 1_000

function useLasting(notice: string | undefined): string | undefined {
  const [lasting, setLasting] = useState<string | undefined>()
  useEffect(() => {
    const timer = setTimeout(() => setLasting(notice), notice ? lastingMs : 0)
    return () => clearTimeout(timer)
  }, [notice])
  return notice && lasting
}

function Face({ look: { logoUrl, title } }: { look: ChatLook }) {
  const [isBroken, breakIt] = useState(false)
  if (logoUrl && openable(logoUrl) && !isBroken)
    return <img class="face" src={logoUrl} alt="" referrerpolicy="no-referrer" onError={() => breakIt(true)} />
  return (
    <span class="face" aria-hidden="true">
      {[...title.trim()][0]?.toLocaleUpperCase()}
    </span>
  )
}
