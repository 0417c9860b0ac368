/** The way back: lines before those that are shown, asked for by whoever scrolls up to where they would stand. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { Transcript } from './transcript.js'
import { words } from './words.js'

/** As long as a screen reader may take to notice what was added; it is told in a few words, not read out line by line. */
const quietMs = 1_000

interface OlderLines {
  ask(): void
  /** What is added is not to be read aloud. */
  readonly isQuiet: boolean
  /** What came, for those who do not see it. */
  readonly news: string
}

/** Whoever reads stays where they are: what is added above moves nothing. */
export function useOlder(
  log: { readonly current: HTMLElement | null },
  transcript: Transcript,
  chat: Chat,
): OlderLines {
  const { oldest, lines, isAskingOlder } = transcript
  const before = useRef({ height: 0, count: 0 })
  const [isQuiet, setQuiet] = useState(false)
  const [news, setNews] = useState('')

  useLayoutEffect(() => {
    const { current } = log
    const { height, count } = before.current
    if (!current || height === 0) return
    current.scrollTop += current.scrollHeight - height
    if (lines.length > count) setNews(words.olderCame(lines.length - count))
    before.current = { height: 0, count: 0 }
  }, [oldest])
  useEffect(() => {
    if (isAskingOlder) return setQuiet(true)
    const timer = setTimeout(() => setQuiet(false), quietMs)
    return () => clearTimeout(timer)
  }, [isAskingOlder])

  function ask(): void {
    if (isAskingOlder || !log.current) return
    before.current = { height: log.current.scrollHeight, count: lines.length }
    chat.older()
  }

  return { ask, isQuiet: isAskingOlder || isQuiet, news }
}

export function Older({ isComing, ask }: { isComing: boolean; ask: () => void }) {
  return (
    <p class="notice">
      <button type="button" class="plain" aria-disabled={isComing ? 'true' : undefined} onClick={ask}>
        {isComing ? words.olderComing : words.older}
      </button>
    </p>
  )
}
