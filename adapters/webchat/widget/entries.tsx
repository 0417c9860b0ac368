/** One entry of the conversation: a message of the agent, or a message of the visitor with its state. */
import { useMemo } from 'preact/hooks'
import { mapsLink } from '../../../core/render/links.js'
import { BlockView } from './blocks.js'
import type { Chat } from './chat.js'
import { Contacts } from './contacts.js'
import { clockText } from './dates.js'
import { Icon } from './icons.js'
import { FileLink } from './media.js'
import { MessageContext } from './messagecontext.js'
import { Anchor } from './prose.js'
import type { AgentEntry, VisitorEntry } from './transcript.js'
import { fileNameOf } from './urls.js'
import { words } from './words.js'

interface AgentEntryProps {
  entry: AgentEntry
  chat: Chat
  answer: VisitorEntry | undefined
  author: string
  /** The last entry of its group shows the time. */
  isLast: boolean
}

export function AgentEntryView({ entry, chat, answer, author, isLast }: AgentEntryProps) {
  const { messageId, blocks, contacts, at } = entry
  const scope = useMemo(() => ({ chat, messageId, answer }), [chat, messageId, answer])
  const content = useMemo(() => blocks.map((block, index) => <BlockView key={index} block={block} />), [blocks])
  return (
    <article class="line agent" tabIndex={-1} data-message={messageId}>
      <span class="unseen">{author}:</span>
      <MessageContext.Provider value={scope}>{content}</MessageContext.Provider>
      <Contacts contacts={contacts} />
      {isLast && (
        <footer dir="auto">
          <time dateTime={at}>{clockText(at)}</time>
        </footer>
      )}
    </article>
  )
}

interface VisitorEntryProps {
  entry: VisitorEntry
  chat: Chat
  isConnected: boolean
  isLast: boolean
  isSeen: boolean
}

export function VisitorEntryView({ entry, chat, isConnected, isLast, isSeen }: VisitorEntryProps) {
  const { text, place, media = [], at, state, key } = entry
  const isSent = state === 'sent'
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
      {(isLast || !isSent) && (
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
                · {isSent ? (isSeen ? words.read : words.sent) : isConnected ? words.sending : words.waiting}
              </span>
            </>
          )}
        </footer>
      )}
    </article>
  )
}

/** The greeting of the chat, before the first message. */
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
