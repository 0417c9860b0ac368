/** One agent of the page with the phones around it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { panelId, tabId } from './agentswitch.js'
import {
  type AgentApi,
  type Channel,
  type EmulatorScene,
  type Stage,
  TicketError,
  Unreachable,
  type Updates,
} from './api.js'
import type { InspectTarget, MessageTarget } from './details.js'
import { Inspector } from './inspector.js'
import { applyUpdates, emptyState, type PageState } from './pagestate.js'
import { PhoneView, WebChat } from './phone.js'
import { TurnPanel } from './turnpanel.js'

interface AgentViewProps {
  scene: EmulatorScene
  api: AgentApi
  stage: Stage
  /** A hidden view keeps its phones and stops polling. */
  isShown: boolean
  /** The visitor whose web chat is in view. */
  visitor: string | undefined
  onVisitor: (visitor: string) => void
  onTicketError: (error: TicketError) => void
}

const titles: Readonly<Record<Channel, string>> = {
  rcs: 'RCS',
  sms: 'SMS',
  messengerA: 'Messenger A',
  vendorMessages: 'Vendor Messages',
}

export function AgentView({ scene, api, stage, isShown, visitor, onVisitor, onTicketError }: AgentViewProps) {
  const { agentId, name, mode, phones, suggestions, chatUrl } = scene
  const [inspected, inspect] = useState<InspectTarget>()
  const [turnTarget, showTurn] = useState<MessageTarget>()
  const [failure, setFailure] = useState<string>()
  const { state, isUnreachable, refresh } = usePageState(api, stage.pollMs, isShown, visitor, onTicketError)
  const isManaged = mode === 'managed'
  const ofTurns = isManaged ? { showTurn } : {}

  /** True when the request succeeded; otherwise the page shows why not. */
  async function attempt(request: Promise<unknown>): Promise<boolean> {
    setFailure(undefined)
    try {
      await request
    } catch (error) {
      if (error instanceof TicketError) onTicketError(error)
      else if (!(error instanceof Unreachable)) setFailure((error as Error).message)
      return false
    } finally {
      void refresh()
    }
    return true
  }

  return (
    <div id={panelId(agentId)} role="tabpanel" aria-labelledby={tabId(agentId)} hidden={!isShown}>
      <p class="about-agent">
        You talk to <strong>{name}</strong>.{' '}
        {isManaged ? (
          <>
            Parley plays it from its configuration alone; <code>Turn</code> shows what it decided.
          </>
        ) : (
          'Its webhook answers.'
        )}{' '}
        Phones draw what the provider was sent; <code>{'{ }'}</code> shows it raw.
      </p>
      <div class="notices" role="status">
        {isUnreachable && (
          <p class="notice">The node does not answer. The page goes on once it does; what you write stays here.</p>
        )}
        {failure && <p class="notice">{failure}</p>}
      </div>
      <nav class="jumps" aria-label="Phones">
        {phones.map(({ channel }) => (
          <a key={channel} href={`#${agentId}-${channel}`}>
            {titles[channel]}
          </a>
        ))}
        {chatUrl && <a href={`#${agentId}-webchat`}>Web chat</a>}
        <a href="#aml">AML</a>
      </nav>
      <div class="phones">
        {phones.map((phone) => (
          <PhoneView
            key={phone.channel}
            id={`${agentId}-${phone.channel}`}
            title={titles[phone.channel]}
            phone={phone}
            state={state.phones[phone.channel]}
            suggestions={suggestions}
            isShown={isShown}
            pictureChars={stage.pictureChars}
            perform={(act) => attempt(api.act(phone.channel, act))}
            sendPicture={(picture) => attempt(api.sendPicture(phone.channel, picture))}
            inspect={inspect}
            {...ofTurns}
          />
        ))}
        {chatUrl && (
          <WebChat
            id={`${agentId}-webchat`}
            url={chatUrl}
            lines={state.chat}
            visitor={visitor}
            inspect={inspect}
            onVisitor={onVisitor}
            {...ofTurns}
          />
        )}
      </div>
      {inspected && <Inspector api={api} target={inspected} hasWebhook={!isManaged} close={() => inspect(undefined)} />}
      {turnTarget && (
        <TurnPanel api={api} target={turnTarget} pollMs={stage.pollMs} close={() => showTurn(undefined)} />
      )}
    </div>
  )
}

/** Polls for updates while the view is visible. After a node was unreachable, the view loads everything again. */
function usePageState(
  api: AgentApi,
  pollMs: number,
  isShown: boolean,
  visitor: string | undefined,
  onTicketError: (error: TicketError) => void,
) {
  const [state, setState] = useState<PageState>(emptyState)
  const [isUnreachable, setUnreachable] = useState(false)
  const latest = useRef(emptyState)
  const refreshing = useRef<Promise<void>>(undefined)

  const fetchOnce = useCallback(async () => {
    try {
      const { sent, acts } = latest.current
      latest.current = applyUpdates(latest.current, await fetchVisibleUpdates(api, sent, acts, visitor))
      setUnreachable(false)
    } catch (error) {
      if (error instanceof TicketError) return onTicketError(error)
      latest.current = emptyState
      setUnreachable(true)
      return
    }
    setState(latest.current)
  }, [api, onTicketError, visitor])

  /** Serialized: two concurrent requests would fetch the same updates twice. */
  const refresh = useCallback(() => {
    refreshing.current = (refreshing.current ?? Promise.resolve()).then(fetchOnce)
    return refreshing.current
  }, [fetchOnce])

  useEffect(() => {
    if (!isShown) return
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
  }, [refresh, pollMs, isShown])

  return { state, isUnreachable, refresh }
}

/** Without a visitor in view the page shows no transcript entries: those of another visitor do not belong here. */
async function fetchVisibleUpdates(
  api: AgentApi,
  sent: number,
  acts: number,
  visitor: string | undefined,
): Promise<Updates> {
  const updates = await api.fetchUpdates(sent, acts, visitor)
  return visitor === undefined ? { ...updates, chat: [] } : updates
}
