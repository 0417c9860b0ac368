/** The input of a phone: text, and a picture that is previewed before it is sent. */
import { useRef, useState } from 'preact/hooks'
import type { Act, Picture } from './api.js'
import { type ChosenPicture, dataUrlOf, fitPicture, pictureTypes } from './pictures.js'

interface ComposerProps {
  title: string
  pictureChars: number
  isOffline: boolean
  /** True when the act succeeded; otherwise the text stays. */
  perform: (act: Act) => Promise<boolean>
  /** True when the picture was accepted; otherwise it stays. */
  sendPicture: (picture: Picture) => Promise<boolean>
}

export function Composer({ title, pictureChars, isOffline, perform, sendPicture }: ComposerProps) {
  const [draft, setDraft] = useState('')
  const [chosen, setChosen] = useState<ChosenPicture>()
  const [problem, setProblem] = useState<string>()
  const isSending = useRef(false)
  const field = useRef<HTMLInputElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)
  const pictureButton = useRef<HTMLButtonElement>(null)

  async function choose(input: HTMLInputElement) {
    const [file] = input.files ?? []
    if (!file) return
    setProblem(undefined)
    setChosen(undefined)
    try {
      setChosen(await fitPicture(file, pictureChars))
      field.current?.focus()
    } catch (error) {
      setProblem((error as Error).message)
    }
    // Clears the input, so that the same file can be chosen again.
    input.value = ''
  }

  function clearPicture() {
    setChosen(undefined)
    pictureButton.current?.focus()
  }

  /** Sends the picture first, then the text below it. */
  async function send(event: Event) {
    event.preventDefault()
    if (isSending.current || isOffline) return
    setProblem(undefined)
    isSending.current = true
    try {
      const text = draft.trim()
      if (chosen) {
        const { name, type, data } = chosen
        if (!(await sendPicture({ name, type, data }))) return
        setChosen(undefined)
      }
      if (text === '') return
      setDraft('')
      // Restores a text that was not accepted, unless the person has begun another one.
      if (!(await perform({ kind: 'text', text }))) setDraft((current) => current || draft)
    } finally {
      isSending.current = false
    }
  }

  return (
    <form class="writing" onSubmit={(event) => void send(event)}>
      {chosen && (
        <fieldset class="chosen" aria-label={`Picture to send on ${title}`}>
          <img src={dataUrlOf(chosen)} alt={chosen.name} />
          <p>
            {chosen.name}
            {chosen.isSmaller && <small>Made smaller to fit.</small>}
          </p>
          <button type="button" aria-label={`Leave out ${chosen.name}`} onClick={clearPicture}>
            ✕
          </button>
        </fieldset>
      )}
      <p class="wrong" role="alert">
        {problem}
      </p>
      <button
        type="button"
        class="opener"
        title="Picture"
        ref={pictureButton}
        aria-label={`Choose a picture on ${title}`}
        disabled={isOffline}
        onClick={() => fileInput.current?.click()}
      >
        <span aria-hidden="true">+</span>
      </button>
      <input
        type="file"
        hidden
        ref={fileInput}
        accept={pictureTypes.join()}
        onChange={(event) => void choose(event.currentTarget)}
      />
      <input
        class="words"
        ref={field}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        disabled={isOffline}
        placeholder={isOffline ? 'The phone is offline' : 'Message'}
        aria-label={`Write on ${title}`}
        autocomplete="off"
      />
      <button type="submit" disabled={isOffline} aria-label={`Send on ${title}`}>
        ↑
      </button>
    </form>
  )
}
