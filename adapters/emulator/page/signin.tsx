/** Sign-in for users without a ticket: the page exchanges an operator's key for one. */
import { useState } from 'preact/hooks'
import { signIn, TicketError } from './api.js'

export function SignIn({ wasRefused, onSignedIn }: { wasRefused: boolean; onSignedIn: () => void }) {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()

  async function submit(event: Event) {
    event.preventDefault()
    try {
      await signIn(key.trim())
      onSignedIn()
    } catch (error) {
      setProblem(error instanceof TicketError ? 'That key does not open the emulator.' : (error as Error).message)
    }
  }

  return (
    <form class="entry" onSubmit={submit}>
      <h2>Sign in</h2>
      {wasRefused && (
        <p class="notice" role="status">
          This link is no longer good: it has expired, or it belongs to another installation.
        </p>
      )}
      <p>
        <code>npm start</code> prints a link to this page that is good for a day. Or enter the API key of an operator,
        such as the one of the first start.
      </p>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
          aria-invalid={problem !== undefined}
        />
      </label>
      <button type="submit" disabled={key.trim() === ''}>
        Open
      </button>
      <p role="alert" class="wrong">
        {problem}
      </p>
    </form>
  )
}
