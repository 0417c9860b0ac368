/** The whole page: the agents, the phones of the chosen one side by side, and the AML editor. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { AgentSwitch } from './agentswitch.js'
import { AgentView } from './agentview.js'
import { createAgentApi, fetchStage, type Stage, TicketError } from './api.js'
import { Editor } from './editor.js'
import { SignIn } from './signin.js'

export function App() {
  const [stage, setStage] = useState<Stage>()
  const [ticketError, setTicketError] = useState<TicketError>()
  const [loadError, setLoadError] = useState<string>()

  const load = useCallback(() => {
    setTicketError(undefined)
    fetchStage().then(setStage, (error: Error) => {
      if (error instanceof TicketError) setTicketError(error)
      else setLoadError(error.message)
    })
  }, [])
  useEffect(load, [load])

  return ticketError || !stage ? (
    <>
      <Top />
      <main>
        {ticketError && <SignIn wasRefused={ticketError.wasRefused} onSignedIn={load} />}
        {loadError && !ticketError && <p class="notice">{loadError}</p>}
      </main>
    </>
  ) : (
    <Agents stage={stage} onTicketError={setTicketError} />
  )
}

function Top() {
  return (
    <header class="top">
      <h1>Parley emulator</h1>
      <a href="v1/docs">API docs</a>
    </header>
  )
}

const choiceKey = 'parley-emulator-agent'

/** A view is created when its agent is first chosen, and stays: its phones, drafts and chat are there on return. */
function Agents({ stage, onTicketError }: { stage: Stage; onTicketError: (error: TicketError) => void }) {
  const { agents } = stage
  const [chosen, setChosen] = useState(() => savedChoice(stage))
  const [opened, setOpened] = useState<readonly string[]>([chosen])
  const [visitors, setVisitors] = useState<Readonly<Record<string, string>>>({})
  const apis = useMemo(
    () => new Map(agents.map(({ agentId }) => [agentId, createAgentApi(agentId)] as const)),
    [agents],
  )

  function choose(agentId: string) {
    sessionStorage.setItem(choiceKey, agentId)
    setChosen(agentId)
    setOpened((before) => (before.includes(agentId) ? before : [...before, agentId]))
  }

  return (
    <>
      <Top />
      <main>
        <AgentSwitch agents={agents} chosen={chosen} choose={choose} />
        {agents
          .filter(({ agentId }) => opened.includes(agentId))
          .map((scene) => (
            <AgentView
              key={scene.agentId}
              scene={scene}
              api={apis.get(scene.agentId)!}
              stage={stage}
              isShown={scene.agentId === chosen}
              visitor={visitors[scene.agentId]}
              onVisitor={(visitor) => setVisitors((before) => ({ ...before, [scene.agentId]: visitor }))}
              onTicketError={onTicketError}
            />
          ))}
        <Editor api={apis.get(chosen)!} waitMs={stage.compileAfterMs} visitor={visitors[chosen]} />
      </main>
    </>
  )
}

/** The agent that this tab of the browser showed last; the first one otherwise. */
function savedChoice({ agents }: Stage): string {
  const saved = sessionStorage.getItem(choiceKey)
  return (agents.find(({ agentId }) => agentId === saved) ?? agents[0]!).agentId
}
