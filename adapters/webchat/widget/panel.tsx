/** The panel of the chat: header, log and composer. The same on its own page and in the widget. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Chat, ChatState } from './chat.js'
import { Composer } from './composer.js'
import type { ConnectionState } from './connection.js'
import { Icon } from './icons.js'
import { Log } from './log.js'
import type { ChatLook } from './look.js'
import { Anchor } from './prose.js'
import { openable } from './urls.js'
import { words } from './words.js'

interface PanelProps {
  chat: Chat
  state: ChatState
  look: ChatLook
  field: RefObject<HTMLTextAreaElement | null>
  /** Absent on a page of its own, which is always open. */
  close?: () => void
}

/** Connection states that the visitor should know about. */
const notices: Partial<Record<ConnectionState, string>> = {
  offline: words.offline,
  elsewhere: words.elsewhere,
  closed: words.closed,
}

/** True when nothing can be sent: the site is refused, or the chat does not exist. */
export const isChatDisabled = (link: ConnectionState) => link === 'elsewhere' || link === 'closed'

export function Panel({ chat, state, look, field, close }: PanelProps) {
  const notice = useDelayed(notices[state.connection])
  const Heading = close ? 'h2' : 'h1'
  return (
    <>
      <header>
        <Avatar look={look} />
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
        <p role="status">
          {notice ?? (state.transcript.caughtUp || state.connection === 'idle' ? '' : words.connecting)}
        </p>
        {notice && state.connection === 'offline' && (
          <button type="button" class="plain" onClick={chat.reconnectNow}>
            {words.tryNow}
          </button>
        )}
      </div>
      <Log chat={chat} state={state} look={look} focusComposer={() => field.current?.focus()} />
      <Composer chat={chat} field={field} isDisabled={isChatDisabled(state.connection)} />
    </>
  )
}

/** Short connection losses are frequent; a notice shows only after this delay. */
const noticeDelayMs = 1_000

function useDelayed(notice: string | undefined): string | undefined {
  const [delayed, setDelayed] = useState<string | undefined>()
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(notice), notice ? noticeDelayMs : 0)
    return () => clearTimeout(timer)
  }, [notice])
  return notice && delayed
}

function Avatar({ look: { logoUrl, title } }: { look: ChatLook }) {
  const [isBroken, setBroken] = useState(false)
  if (logoUrl && openable(logoUrl) && !isBroken)
    return <img class="face" src={logoUrl} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
  return (
    <span class="face" aria-hidden="true">
      {[...title.trim()][0]?.toLocaleUpperCase()}
    </span>
  )
}
