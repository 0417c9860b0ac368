/** The way back: lines before those that are shown, asked for by whoever scrolls up to where they would stand. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { Transcript } from './transcript.js'
import { words } from './words.js'

/** As long as a screen reader may take to notice what was added; it is told in a few words, not read out line by line. */
const quietMs = 1_000

interface History {
  load(): void
  /** What is added is not to be read aloud. */
  readonly isQuiet: boolean
  /** What came, for those who do not see it. */
  readonly announcement: string
}

/** Whoever reads stays where they are: what is added above moves nothing. */
export function useHistory(log: { readonly current: HTMLElement | null }, transcript: Transcript, chat: Chat): History {
  const { oldest, entries: lines, isLoadingOlder: isAskingOlder } = transcript
  const previous = useRef({ height: 0, count: 0 })
  const [isQuiet, setQuiet] = useState(false)
  const [announcement, setAnnouncement] = useState('')

  useLayoutEffect(() => {
    const { current } = log
    const { height, count } = previous.current
    if (!current || height === 0) return
    current.scrollTop += current.scrollHeight - height
    if (lines.length > count) setAnnouncement(words.olderCame(lines.length - count))
    previous.current = { height: 0, count: 0 }
  }, [oldest])
  useEffect(() => {
    if (isAskingOlder) return setQuiet(true)
    const timer = setTimeout(() => setQuiet(false), quietMs)
    return () => clearTimeout(timer)
  }, [isAskingOlder])

  function load(): void {
    if (isAskingOlder || !log.current) return
    previous.current = { height: log.current.scrollHeight, count: lines.length }
    chat.older()
  }

  return { load, isQuiet: isAskingOlder || isQuiet, announcement }
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
