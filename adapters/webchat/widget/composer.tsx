/** The composer: Enter sends, Shift+Enter starts a new line, and the field grows with its content. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { webchat as limits } from '../../../core/limits/index.js'
import type { Chat } from './chat.js'
import { Icon } from './icons.js'
import { words } from './words.js'

interface ComposerProps {
  chat: Chat
  field: RefObject<HTMLTextAreaElement | null>
  isDisabled: boolean
}

const tallestPx = 132

export function Composer({ chat, field, isDisabled }: ComposerProps) {
  const [text, setText] = useState('')

  useLayoutEffect(() => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${Math.min(current.scrollHeight, tallestPx)}px`
  }, [text])

  function send(event: Event): void {
    event.preventDefault()
    const trimmed = text.trim()
    if (trimmed === '' || isDisabled) return
    chat.write(trimmed)
    setText('')
    field.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    // While an input method composes a word, as for Japanese, Enter finishes the word.
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
  }

  return (
    <form class="composer" onSubmit={send}>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        maxLength={limits.textChars}
        disabled={isDisabled}
        placeholder={words.write}
        aria-label={words.write}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          if (currentTarget.value !== '') chat.typing()
        }}
      />
      <button type="submit" class="send" aria-label={words.send} aria-disabled={text.trim() === '' || isDisabled}>
        <Icon name="send" />
      </button>
    </form>
  )
}
