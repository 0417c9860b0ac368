/** One line of the conversation: what the agent says, part by part, or what the visitor said and what became of it. */
import { useMemo } from 'preact/hooks'
import { mapsLink } from '../../../core/render/links.js'
import { AskingContext } from './asking.js'
import { BlockView } from './blocks.js'
import type { Chat } from './chat.js'
import { Contacts } from './contacts.js'
import { Icon } from './icons.js'
import { fileNameOf } from './links.js'
import { FileLink } from './media.js'
import { clockText } from './moments.js'
import { Anchor } from './prose.js'
import type { AgentLine, OwnLine } from './transcript.js'
import { words } from './words.js'

interface AgentLineProps {
  line: AgentLine
  chat: Chat
  answer: OwnLine | undefined
  author: string
  /** The last of several: it says when they were said. */
  isLast: boolean
}

export function AgentLineView({ line, chat, answer, author, isLast }: AgentLineProps) {
  const { messageId, blocks, contacts, at } = line
  const asking = useMemo(() => ({ chat, messageId, answer }), [chat, messageId, answer])
  const shown = useMemo(() => blocks.map((block, place) => <BlockView key={place} block={block} />), [blocks])
  return (
    <article class="line agent" tabIndex={-1} data-message={messageId}>
      <span class="unseen">{author}:</span>
      <AskingContext.Provider value={asking}>{shown}</AskingContext.Provider>
      <Contacts contacts={contacts} />
      {isLast && (
        <footer dir="auto">
          <time dateTime={at}>{clockText(at)}</time>
        </footer>
      )}
    </article>
  )
}

interface OwnLineProps {
  line: OwnLine
  chat: Chat
  isConnected: boolean
  isLast: boolean
  isSeen: boolean
}

export function OwnLineView({ line, chat, isConnected, isLast, isSeen }: OwnLineProps) {
  const { text, place, media = [], at, state, key } = line
  const isSettled = state === 'sent'
  return (
    <article class={`line own ${state}`} tabIndex={-1}>
      <span class="unseen">{words.you}:</span>
      {text !== undefined && (
        <div class="bubble">
          <p class="written" dir="auto">
            {text}
          </p>
        </div>
      )}
      {place && (
        <div class="bubble place">
          <Anchor url={mapsLink(place)}>
            <Icon name="place" />
            <span dir="auto">
              {place.address ?? place.label ?? `${place.latitude?.toFixed(5)}, ${place.longitude?.toFixed(5)}`}
            </span>
          </Anchor>
        </div>
      )}
      {media.map(({ url, name }) => (
        <FileLink key={url} url={url} name={name ?? fileNameOf(url)} />
      ))}
      {(isLast || !isSettled) && (
        <footer dir="auto">
          {state === 'failed' ? (
            <>
              <span class="trouble">{words.failed}</span>{' '}
              <button type="button" class="plain" onClick={() => chat.retry(key)}>
                {words.again}
              </button>
            </>
          ) : (
            <>
              <time dateTime={at}>{clockText(at)}</time>
              <span>
                {' '}
                · {isSettled ? (isSeen ? words.read : words.sent) : isConnected ? words.sending : words.waiting}
              </span>
            </>
          )}
        </footer>
      )}
    </article>
  )
}

/** What the chat itself says first, before anybody has written. */
export function GreetingView({ text, author }: { text: string; author: string }) {
  return (
    <article class="line agent" tabIndex={-1}>
      <span class="unseen">{author}:</span>
      <div class="block">
        <div class="bubble">
          <p class="written" dir="auto">
            {text}
          </p>
        </div>
      </div>
    </article>
  )
}
