/** The whole page: the agent, the phones side by side, and the AML editor. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import * as api from './api.js'
import { Editor } from './editor.js'
import { Inspector, type InspectTarget } from './inspector.js'
import { applyUpdates, emptyState, type PageState } from './pagestate.js'
import { PhoneView, WebChat } from './phone.js'
import { SignIn } from './signin.js'

/** What the page shows while the node does not answer. */
type ConnectionProblem = 'unreachable' | undefined

export function App() {
  const [scene, setScene] = useState<api.EmulatorScene>()
  const [ticketError, setTicketError] = useState<api.TicketError>()
  const [loadError, setLoadError] = useState<string>()

  const load = useCallback(() => {
    setTicketError(undefined)
    api.fetchScene().then(setScene, (error: Error) => {
      if (error instanceof api.TicketError) setTicketError(error)
      else setLoadError(error.message)
    })
  }, [])
  useEffect(load, [load])

  return (
    <>
      <header class="top">
        <h1>Parley emulator</h1>
        {scene && (
          <p>
            You talk to <strong>{scene.name}</strong>. Phones draw what the provider was sent; <code>{'{ }'}</code>{' '}
            shows it raw.
          </p>
        )}
        <a href="v1/docs">API docs</a>
      </header>
      <main>
        {ticketError ? (
          <SignIn wasRefused={ticketError.wasRefused} onSignedIn={load} />
        ) : scene ? (
          <EmulatorView scene={scene} onTicketError={setTicketError} />
        ) : null}
        {loadError && !scene && !ticketError && <p class="notice">{loadError}</p>}
      </main>
    </>
  )
}

function EmulatorView({
  scene,
  onTicketError,
}: {
  scene: api.EmulatorScene
  onTicketError: (error: api.TicketError) => void
}) {
  const [target, setTarget] = useState<InspectTarget>()
  const [visitor, setVisitor] = useState<string>()
  const { state, problem, refresh } = usePageState(scene, visitor, onTicketError)
  const [failure, setFailure] = useState<string>()

  /** True when the request succeeded; otherwise the page shows why not. */
  async function attempt(request: Promise<unknown>): Promise<boolean> {
    setFailure(undefined)
    try {
      await request
    } catch (error) {
      if (error instanceof api.TicketError) onTicketError(error)
      else if (!(error instanceof api.Unreachable)) setFailure((error as Error).message)
      return false
    } finally {
      refresh()
    }
    return true
  }

  return (
    <>
      <div class="told" role="status">
        {problem === 'unreachable' && (
          <p class="notice">The node does not answer. The page goes on once it does; what you write stays here.</p>
        )}
        {failure && <p class="notice">{failure}</p>}
      </div>
      <nav class="jumps" aria-label="Phones">
        {scene.phones.map(({ channel }) => (
          <a key={channel} href={`#${channel}`}>
            {titles[channel]}
          </a>
        ))}
        {scene.chatUrl && <a href="#webchat">Web chat</a>}
        <a href="#aml">AML</a>
      </nav>
      <div class="phones">
        {scene.phones.map((phone) => (
          <PhoneView
            key={phone.channel}
            title={titles[phone.channel]}
            phone={phone}
            state={state.phones[phone.channel]}
            pictureChars={scene.pictureChars}
            perform={(act) => attempt(api.act(phone.channel, act))}
            sendPicture={(picture) => attempt(api.sendPicture(phone.channel, picture))}
            inspect={setTarget}
          />
        ))}
        {scene.chatUrl && (
          <WebChat
            url={scene.chatUrl}
            lines={state.chat}
            visitor={visitor}
            inspect={setTarget}
            onVisitor={setVisitor}
          />
        )}
      </div>
      <Editor waitMs={scene.compileAfterMs} visitor={visitor} onSent={refresh} />
      {target && <Inspector target={target} close={() => setTarget(undefined)} />}
    </>
  )
}

const titles: Readonly<Record<api.Channel, string>> = {
  rcs: 'RCS',
  sms: 'SMS',
  messengerA: 'Messenger A',
  vendorMessages: 'Vendor Messages',
}

/** Polls for updates while the page is visible. After a node was unreachable, the page loads everything again. */
function usePageState(
  { pollMs }: api.EmulatorScene,
  visitor: string | undefined,
  onTicketError: (error: api.TicketError) => void,
) {
  const [state, setState] = useState<PageState>(emptyState)
  const [problem, setProblem] = useState<ConnectionProblem>()
  const latest = useRef(emptyState)
  const refreshing = useRef<Promise<void>>(undefined)

  const fetchOnce = useCallback(async () => {
    try {
      const { sent, acts } = latest.current
      latest.current = applyUpdates(latest.current, await fetchVisibleUpdates(sent, acts, visitor))
      setProblem(undefined)
    } catch (error) {
      if (error instanceof api.TicketError) return onTicketError(error)
      latest.current = emptyState
      setProblem('unreachable')
      return
    }
    setState(latest.current)
  }, [onTicketError, visitor])

  /** Serialized: two concurrent requests would fetch the same updates twice. */
  const refresh = useCallback(() => {
    refreshing.current = (refreshing.current ?? Promise.resolve()).then(fetchOnce)
    return refreshing.current
  }, [fetchOnce])

  useEffect(() => {
    let timer = 0
    let isStopped = false
    async function poll() {
      if (!document.hidden) await refresh()
      if (!isStopped) timer = setTimeout(poll, pollMs)
    }
    void poll()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [refresh, pollMs])

  return { state, problem, refresh }
}

/** Without a visitor in view the page shows no transcript entries: those of another visitor do not belong here. */
async function fetchVisibleUpdates(sent: number, acts: number, visitor: string | undefined): Promise<api.Updates> {
  const updates = await api.fetchUpdates(sent, acts, visitor)
  return visitor === undefined ? { ...updates, chat: [] } : updates
}
