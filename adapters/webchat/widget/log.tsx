/** The conversation log: entries in order, announced to screen readers, marked as read when in view. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chat, ChatState } from './chat.js'
import { areGrouped, dayText, isSameDay } from './dates.js'
import { AgentEntryView, GreetingView, VisitorEntryView } from './entries.js'
import { HistoryButton, useHistory } from './history.js'
import { Icon } from './icons.js'
import type { ChatLook } from './look.js'
import { answerOf, type Entry } from './transcript.js'
import { words } from './words.js'

interface LogProps {
  chat: Chat
  state: ChatState
  look: ChatLook
  /** Moves the focus to the composer. */
  focusComposer: () => void
}

/** Within this distance the log counts as scrolled to its end. */
const nearEndPx = 80

export function Log({ chat, state: { transcript, connection }, look, focusComposer }: LogProps) {
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [hasUnseen, setHasUnseen] = useState(false)
  const entries = transcript.entries.filter((entry) => entry.by === 'agent' || !entry.isHidden)
  const isTyping = transcript.typingUntil > Date.now()
  const last = entries.at(-1)
  const history = useHistory(log, transcript, chat)
  useReadTracking(log, entries, chat)

  function scrollToEnd(): void {
    const { current } = log
    if (current) current.scrollTop = current.scrollHeight
  }

  function onScroll(): void {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = log.current ?? {}
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx
    if (isAtEnd.current) setHasUnseen(false)
    if (scrollTop < nearEndPx && !isAtEnd.current) history.load()
  }

  // New entries do not move a log that was scrolled back, unless the visitor has just sent one.
  useLayoutEffect(() => {
    if (isAtEnd.current || last?.by === 'visitor') scrollToEnd()
    else setHasUnseen(true)
  }, [last?.key])
  useLayoutEffect(() => {
    if (isAtEnd.current) scrollToEnd()
  }, [isTyping, transcript.caughtUp])
  // The log stays at its end when pictures load or the panel changes its size.
  useEffect(() => {
    const { current } = log
    if (!current) return
    const observer = new ResizeObserver(() => isAtEnd.current && scrollToEnd())
    observer.observe(current)
    observer.observe(current.firstElementChild!)
    return () => observer.disconnect()
  }, [])

  return (
    <div class="talk">
      <div
        ref={log}
        class="log"
        role="log"
        aria-live={transcript.caughtUp && !history.isQuiet ? 'polite' : 'off'}
        aria-busy={transcript.isLoadingOlder}
        aria-label={words.conversation}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={(event) => onKeyDown(event, focusComposer)}
      >
        <div class="lines">
          {transcript.more && <HistoryButton isLoading={transcript.isLoadingOlder} load={history.load} />}
          {look.greeting && !transcript.more && <GreetingView text={look.greeting} author={look.title} />}
          {entries.map((entry, at) => [
            isFirstOfDay(entries, at) && (
              <p key={`day ${entry.key}`} class="notice">
                <time dateTime={entry.at}>{dayText(entry.at, new Date())}</time>
              </p>
            ),
            entry.by === 'agent' ? (
              <AgentEntryView
                key={entry.key}
                entry={entry}
                chat={chat}
                answer={answerOf(transcript, entry)}
                author={look.title}
                isLast={isLastOfSide(entries, at)}
              />
            ) : (
              <VisitorEntryView
                key={entry.key}
                entry={entry}
                chat={chat}
                isConnected={connection === 'open'}
                isLast={isLastOfSide(entries, at)}
                isSeen={entry.at <= transcript.seenAt}
              />
            ),
          ])}
          {isTyping && (
            <div class="line agent">
              <div class="bubble dots">
                <span class="unseen">
                  {look.title} {words.typing}
                </span>
                <i />
                <i />
                <i />
              </div>
            </div>
          )}
        </div>
      </div>
      <p class="unseen" role="status">
        {history.announcement}
      </p>
      {hasUnseen && (
        <button type="button" class="newest" onClick={scrollToEnd}>
          {words.newest}
          <Icon name="down" />
        </button>
      )}
    </div>
  )
}

/** The date shows where the day changes, and at the top unless all entries are of today. */
function isFirstOfDay(entries: readonly Entry[], at: number): boolean {
  const previous = entries[at - 1]
  return previous ? !isSameDay(previous.at, entries[at]!.at) : !isSameDay(entries[at]!.at, new Date().toISOString())
}

function isLastOfSide(entries: readonly Entry[], at: number): boolean {
  const [entry, next] = [entries[at]!, entries[at + 1]]
  return !next || next.by !== entry.by || !areGrouped(entry.at, next.at)
}

/** Arrow keys, Home and End move between entries; Escape returns to the composer. */
function onKeyDown(event: KeyboardEvent, focusComposer: () => void): void {
  const log = event.currentTarget as HTMLElement
  const target = event.target as HTMLElement
  const isOnLine = target.matches('.line')
  if (event.key === 'Escape' && target !== log) {
    event.stopPropagation()
    return focusComposer()
  }
  if (!isOnLine && target !== log) return
  const entries = [...log.querySelectorAll<HTMLElement>('article.line')]
  const at = isOnLine ? entries.indexOf(target) : entries.length
  const targets: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: entries.length - 1 }
  const next = entries[targets[event.key] ?? -1]
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** A message is read when a good part of it is in view on a visible page. */
function useReadTracking(log: { readonly current: HTMLElement | null }, entries: readonly Entry[], chat: Chat): void {
  const unreadMessageIds = entries.flatMap((entry) =>
    entry.by === 'agent' && entry.state !== 'read' ? [entry.messageId] : [],
  )
  useEffect(() => {
    const root = log.current
    if (!root || unreadMessageIds.length === 0) return
    const visibleIds = new Set<string>()
    const reportSeen = () => void (!document.hidden && chat.markSeen([...visibleIds]))
    const observer = new IntersectionObserver(
      (intersections) => {
        for (const { target, isIntersecting, intersectionRect, rootBounds } of intersections) {
          const { message = '' } = (target as HTMLElement).dataset
          const isTall = intersectionRect.height > (rootBounds?.height ?? 0) / 2
          if (isIntersecting && (isTall || intersectionRect.height >= target.clientHeight / 2)) visibleIds.add(message)
          else visibleIds.delete(message)
        }
        reportSeen()
      },
      { root, threshold: [0, 0.25, 0.5, 0.75, 1] },
    )
    const unreadIds = new Set(unreadMessageIds)
    for (const entry of root.querySelectorAll<HTMLElement>('[data-message]'))
      if (unreadIds.has(entry.dataset.message ?? '')) observer.observe(entry)
    document.addEventListener('visibilitychange', reportSeen)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', reportSeen)
    }
  }, [unreadMessageIds.join()])
}
