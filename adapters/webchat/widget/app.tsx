/** The chat widget: behind a launcher button on a site, or as a page of its own. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Chat } from './chat.js'
import { Icon } from './icons.js'
import type { ChatLook } from './look.js'
import { isChatDisabled, Panel } from './panel.js'
import { unreadEntries } from './transcript.js'
import { words } from './words.js'

/** Functions for the script of the surrounding page. */
export interface Handle {
  open(): void
  close(): void
}

interface AppProps {
  chat: Chat
  look: ChatLook
  exposeHandle: (exposeHandle: Handle) => void
}

/** Screens as wide as a phone: the panel covers the page, and the page below must not take focus. */
const coveringQuery = '(max-width: 480px)'

function useChat(chat: Chat) {
  const [state, setState] = useState(chat.state)
  useEffect(() => {
    setState(chat.state())
    return chat.subscribe(() => setState(chat.state()))
  }, [chat])
  return state
}

export function PageApp({ chat, look }: Omit<AppProps, 'exposeHandle'>) {
  const state = useChat(chat)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(chat.start, [chat])
  useEffect(() => {
    const count = unreadEntries(state.transcript).length
    document.title = count > 0 ? `(${count}) ${look.title}` : look.title
  }, [state.transcript, look.title])
  return (
    <main class="panel page">
      <Panel chat={chat} state={state} look={look} field={field} />
    </main>
  )
}

export function WidgetApp({ chat, look, exposeHandle }: AppProps) {
  const state = useChat(chat)
  const [isOpen, setOpen] = useState(false)
  const [isCovering, setCovering] = useState(() => matchMedia(coveringQuery).matches)
  const panel = useRef<HTMLDivElement>(null)
  const launcher = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const wasOpen = useRef(false)
  const count = unreadEntries(state.transcript).length

  useEffect(() => exposeHandle({ open: () => setOpen(true), close: () => setOpen(false) }), [exposeHandle])
  useEffect(() => {
    const query = matchMedia(coveringQuery)
    const look = () => setCovering(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  useEffect(() => {
    if (isOpen) {
      chat.start()
      field.current?.focus()
    } else if (wasOpen.current) launcher.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, chat])
  const isDisabled = isChatDisabled(state.connection)
  useEffect(() => {
    if (isOpen && isDisabled) takeFocus(panel.current, field.current)
  }, [isOpen, isDisabled])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'Tab' && isCovering) trapFocus(event, panel.current)
  }

  return (
    <div class="widget">
      {isOpen && (
        <div
          ref={panel}
          class="panel over"
          role="dialog"
          tabIndex={-1}
          aria-modal={isCovering ? 'true' : undefined}
          aria-label={look.title}
          onKeyDown={onKeyDown}
        >
          <Panel chat={chat} state={state} look={look} field={field} close={() => setOpen(false)} />
        </div>
      )}
      <button
        ref={launcher}
        type="button"
        class="launcher"
        aria-expanded={isOpen}
        aria-label={isOpen ? words.close : count > 0 ? words.openUnread(count) : words.open}
        hidden={isOpen && isCovering}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'chat'} />
        {!isOpen && count > 0 && (
          <span class="badge" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </button>
    </div>
  )
}

/**
 * Focuses the field, or the panel when the field is disabled, since Escape works only inside the panel. A focus
 * elsewhere on the site stays there.
 */
function takeFocus(panel: HTMLElement | null, field: HTMLElement | null): void {
  const root = panel?.getRootNode() as ShadowRoot | undefined
  const focused = root?.activeElement
  const isOutside = document.activeElement !== document.body && document.activeElement !== root?.host
  const isInside = focused && focused !== field && panel?.contains(focused)
  if (!isOutside && !isInside) panel?.focus()
}

/** Tab cycles inside a panel that covers the page. */
function trapFocus(event: KeyboardEvent, panel: HTMLElement | null): void {
  const all =
    panel?.querySelectorAll<HTMLElement>('a[href], button, input, textarea, video, audio, [tabindex="0"]') ?? []
  const focusable = [...all].filter((each) => !each.matches(':disabled'))
  const [first, last] = [focusable[0], focusable.at(-1)]
  const focused = (panel?.getRootNode() as ShadowRoot | undefined)?.activeElement
  if (event.shiftKey ? focused === first : focused === last) {
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  }
}
