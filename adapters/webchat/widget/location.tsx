/** Asks for the visitor's location: from the browser with permission, or as a written address. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.js'
import { useMessageContext } from './messagecontext.js'
import { words } from './words.js'

type Step = 'offered' | 'locating' | 'refused' | 'writing'

const timeoutMs = 15_000

export function Locate({ label }: { label: string }) {
  const { chat, answer } = useMessageContext()
  const [step, setStep] = useState<Step>('offered')
  const field = useRef<HTMLInputElement>(null)
  const isWriting = step === 'refused' || step === 'writing'

  useEffect(() => {
    if (isWriting) field.current?.focus()
  }, [isWriting])

  function locate(): void {
    if (answer || step === 'locating') return
    if (!('geolocation' in navigator)) return setStep('refused')
    setStep('locating')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setStep('offered')
        chat.share({ latitude, longitude })
      },
      () => setStep('refused'),
      { timeout: timeoutMs, maximumAge: 60_000 },
    )
  }

  function submit(event: Event): void {
    event.preventDefault()
    const address = field.current?.value.trim()
    if (address && !answer) chat.share({ address })
  }

  const answeredClass = answer ? ' spent' : ''
  return (
    <div class="locate">
      <button
        type="button"
        class={`chip action${answeredClass}`}
        aria-disabled={answer ? 'true' : undefined}
        onClick={locate}
      >
        <Icon name="place" />
        <span dir="auto">{label}</span>
      </button>
      {!answer && !isWriting && (
        <button type="button" class="plain" onClick={() => setStep('writing')}>
          {words.byAddress}
        </button>
      )}
      {!answer && (
        <p class="hint" role="status">
          {step === 'locating' ? words.locating : step === 'refused' ? words.noLocation : ''}
        </p>
      )}
      {!answer && isWriting && (
        <form class="address" onSubmit={submit}>
          <input
            ref={field}
            type="text"
            dir="auto"
            maxLength={500}
            autocomplete="street-address"
            aria-label={words.address}
            placeholder={words.address}
            required
          />
          <button type="submit" class="chip chosen">
            {words.send}
          </button>
        </form>
      )}
    </div>
  )
}
