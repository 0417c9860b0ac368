/** The conversation: lines in order, read aloud as they come, marked as read when they are really in view. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chat, ChatState } from './chat.js'
import { Icon } from './icons.js'
import { AgentLineView, GreetingView, OwnLineView } from './lines.js'
import type { ChatLook } from './look.js'
import { areTogether, dayText, isSameDay } from './moments.js'
import { Older, useOlder } from './older.js'
import { answerTo, type Line } from './transcript.js'
import { words } from './words.js'

interface LogProps {
  chat: Chat
  state: ChatState
  look: ChatLook
  /** Where the visitor goes on writing. */
  toComposer: () => void
}

/** This close to the end counts as being there. */
const nearPx = 80

export function Log({ chat, state: { transcript, link }, look, toComposer }: LogProps) {
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [isBehind, setBehind] = useState(false)
  const lines = transcript.lines.filter((line) => line.by === 'agent' || !line.isSilent)
  const isTyping = transcript.typingUntil > Date.now()
  const last = lines.at(-1)
  const older = useOlder(log, transcript, chat)
  useSeen(log, lines, chat)

  function toEnd(): void {
    const { current } = log
    if (current) current.scrollTop = current.scrollHeight
  }

  function scrolled(): void {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = log.current ?? {}
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx
    if (isAtEnd.current) setBehind(false)
    if (scrollTop < nearPx && !isAtEnd.current) older.ask()
  }

  // Whoever reads further up is not pulled away, unless they have just said something themselves.
  useLayoutEffect(() => {
    if (isAtEnd.current || last?.by === 'visitor') toEnd()
    else setBehind(true)
  }, [last?.key])
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd()
  }, [isTyping, transcript.caughtUp])
  // Pictures that arrive later, and a panel that changes its size, leave the end where it was.
  useEffect(() => {
    const { current } = log
    if (!current) return
    const watch = new ResizeObserver(() => isAtEnd.current && toEnd())
    watch.observe(current)
    watch.observe(current.firstElementChild!)
    return () => watch.disconnect()
  }, [])

  return (
    <div class="talk">
      <div
        ref={log}
        class="log"
        role="log"
        aria-live={transcript.caughtUp && !older.isQuiet ? 'polite' : 'off'}
        aria-busy={transcript.isAskingOlder}
        aria-label={words.conversation}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of a keyboard
        tabIndex={0}
        onScroll={scrolled}
        onKeyDown={(event) => step(event, toComposer)}
      >
        <div class="lines">
          {transcript.more && <Older isComing={transcript.isAskingOlder} ask={older.ask} />}
          {look.greeting && !transcript.more && <GreetingView text={look.greeting} author={look.title} />}
          {lines.map((line, at) => [
            isFirstOfDay(lines, at) && (
              <p key={`day ${line.key}`} class="notice">
                <time dateTime={line.at}>{dayText(line.at, new Date())}</time>
              </p>
            ),
            line.by === 'agent' ? (
              <AgentLineView
                key={line.key}
                line={line}
                chat={chat}
                answer={answerTo(transcript, line)}
                author={look.title}
                isLast={isLastOfSide(lines, at)}
              />
            ) : (
              <OwnLineView
                key={line.key}
                line={line}
                chat={chat}
                isConnected={link === 'open'}
                isLast={isLastOfSide(lines, at)}
                isSeen={line.at <= transcript.seenAt}
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
        {older.news}
      </p>
      {isBehind && (
        <button type="button" class="newest" onClick={toEnd}>
          {words.newest}
          <Icon name="down" />
        </button>
      )}
    </div>
  )
}

/** The day is written where it changes, and at the top unless all of it is today. */
function isFirstOfDay(lines: readonly Line[], at: number): boolean {
  const before = lines[at - 1]
  return before ? !isSameDay(before.at, lines[at]!.at) : !isSameDay(lines[at]!.at, new Date().toISOString())
}

function isLastOfSide(lines: readonly Line[], at: number): boolean {
  const [line, after] = [lines[at]!, lines[at + 1]]
  return !after || after.by !== line.by || !areTogether(line.at, after.at)
}

/** Arrows, Home and End go through the lines; Escape goes back to writing. */
function step(event: KeyboardEvent, toComposer: () => void): void {
  const log = event.currentTarget as HTMLElement
  const target = event.target as HTMLElement
  const isOnLine = target.matches('.line')
  if (event.key === 'Escape' && target !== log) {
    event.stopPropagation()
    return toComposer()
  }
  if (!isOnLine && target !== log) return
  const lines = [...log.querySelectorAll<HTMLElement>('article.line')]
  const at = isOnLine ? lines.indexOf(target) : lines.length
  const places: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: lines.length - 1 }
  const next = lines[places[event.key] ?? -1]
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** A message is read when a good part of it is in view and the page is looked at. */
function useSeen(log: { readonly current: HTMLElement | null }, lines: readonly Line[], chat: Chat): void {
  const unread = lines.flatMap((line) => (line.by === 'agent' && line.state !== 'read' ? [line.messageId] : []))
  useEffect(() => {
    const root = log.current
    if (!root || unread.length === 0) return
    const inView = new Set<string>()
    const tell = () => void (!document.hidden && chat.saw([...inView]))
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting, intersectionRect, rootBounds } of entries) {
          const { message = '' } = (target as HTMLElement).dataset
          const isTall = intersectionRect.height > (rootBounds?.height ?? 0) / 2
          if (isIntersecting && (isTall || intersectionRect.height >= target.clientHeight / 2)) inView.add(message)
          else inView.delete(message)
        }
        tell()
      },
      { root, threshold: [0, 0.25, 0.5, 0.75, 1] },
    )
    const wanted = new Set(unread)
    for (const line of root.querySelectorAll<HTMLElement>('[data-message]'))
      if (wanted.has(line.dataset.message ?? '')) watch.observe(line)
    document.addEventListener('visibilitychange', tell)
    return () => {
      watch.disconnect()
      document.removeEventListener('visibilitychange', tell)
    }
  }, [unread.join()])
}
