/** Loads older entries when the visitor scrolls to the top. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { Transcript } from './transcript.js'
import { words } from './words.js'

/** Time in which a screen reader notices new entries. It reads a short announcement instead of every older entry. */
const quietMs = 1_000

interface History {
  load(): void
  /** New entries are not to be read aloud. */
  readonly isQuiet: boolean
  /** What was loaded, for screen readers. */
  readonly announcement: string
}

/** Keeps the scroll position while entries are added above it. */
export function useHistory(log: { readonly current: HTMLElement | null }, transcript: Transcript, chat: Chat): History {
  const { oldest, entries, isLoadingOlder } = transcript
  const previous = useRef({ height: 0, count: 0 })
  const [isQuiet, setQuiet] = useState(false)
  const [announcement, setAnnouncement] = useState('')

  useLayoutEffect(() => {
    const { current } = log
    const { height, count } = previous.current
    if (!current || height === 0) return
    current.scrollTop += current.scrollHeight - height
    if (entries.length > count) setAnnouncement(words.olderCame(entries.length - count))
    previous.current = { height: 0, count: 0 }
  }, [oldest])
  useEffect(() => {
    if (isLoadingOlder) return setQuiet(true)
    const timer = setTimeout(() => setQuiet(false), quietMs)
    return () => clearTimeout(timer)
  }, [isLoadingOlder])

  function load(): void {
    if (isLoadingOlder || !log.current) return
    previous.current = { height: log.current.scrollHeight, count: entries.length }
    chat.older()
  }

  return { load, isQuiet: isLoadingOlder || isQuiet, announcement }
}

export function HistoryButton({ isLoading, load }: { isLoading: boolean; load: () => void }) {
  return (
    <p class="notice">
      <button type="button" class="plain" aria-disabled={isLoading ? 'true' : undefined} onClick={load}>
        {isLoading ? words.olderComing : words.older}
      </button>
    </p>
  )
}
